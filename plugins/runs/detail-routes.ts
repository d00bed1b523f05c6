import { Readable } from 'node:stream';
import {
  type Clock,
  Errors,
  type HttpReply,
  largePages,
  limitOf,
  listRoute,
  MEMBER,
  type Route,
  SCOPED,
  Turns,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import { withDefinitions } from '../schema/contract.ts';
import type { RunEngine } from './contract.ts';
import historyQuery from './schema/history-query.schema.json' with { type: 'json' };
import recordSchema from './schema/journal-record.schema.json' with { type: 'json' };
import historySchema from './schema/run-history.schema.json' with { type: 'json' };
import type { PutCellBody } from './generated/put-cell.ts';
import cellKeySchema from './schema/cell-key.schema.json' with { type: 'json' };
import cellSchema from './schema/cell.schema.json' with { type: 'json' };
import logsQuery from './schema/logs-query.schema.json' with { type: 'json' };
import putCellSchema from './schema/put-cell.schema.json' with { type: 'json' };
import nodeSchema from './schema/node.schema.json' with { type: 'json' };
import stepSchema from './schema/step.schema.json' with { type: 'json' };
import stepsQuery from './schema/steps-query.schema.json' with { type: 'json' };
import { followLog, FollowTurns, type LogParts } from './service/follow.ts';
import { LogNames } from './service/log-names.ts';
import { selection } from './service/log-selection.ts';
import { inTurns, readLog, startOf } from './service/read-log.ts';
import type { Histories } from './service/history.ts';
import type { NodeViews } from './service/node-views.ts';
import type { ProjectState } from './service/project-state.ts';
import { renderCell, renderStep } from './service/render.ts';
import { runId, type RunViews } from './service/run-views.ts';
import type { RunWatch } from './service/run-watch.ts';
import type { StepViews } from './service/step-views.ts';
import type { Reader } from './store/parts.ts';

const RUN = `${SCOPED}/runs/:run`;
const ENTITY = `${SCOPED}/state/:entity`;

/** Bytes that may wait for a slow reader before reading the log pauses. */
const BUFFERED_BYTES = 32 * 1024;

const cursorPage = (query: Readonly<Record<string, string>>) => ({ limit: limitOf(query), cursor: query.cursor });

export interface DetailParts {
  engine: RunEngine;
  views: RunViews;
  steps: StepViews;
  nodes: NodeViews;
  watch: RunWatch;
  clock: Clock;
  on: Reader;
}

/** The steps and the log of a run. */
export function detailRoutes({ engine, views, steps, nodes, watch, clock, on }: DetailParts): Route[] {
  const turns = new FollowTurns(clock);
  const pages = new Turns(1);
  const parts: LogParts = { watch, clock, turns, logs: engine.logs, status: views.status };
  return [
    largePages(
      listRoute({
        path: `${RUN}/steps`,
        operation: 'listSteps',
        summary: 'List the durable calls of a run, or its nodes, in order',
        access: VIEWER,
        query: stepsQuery,
        plural: 'steps',
        item: { anyOf: [stepSchema, nodeSchema] },
        description: 'A page of calls, or of nodes: a run of a graph or a pipeline has nodes.',
        async list({ scope, params, query }) {
          const { node: of, open, output, calls } = query;
          const page = { ...cursorPage(query), of, open: open === 'true', outputs: output === 'true' };
          const own = calls === 'true' ? undefined : await nodes.list(scope, params.run!, page);
          if (own) return { items: own.nodes, next_cursor: own.next_cursor };
          const within = of === undefined ? undefined : await nodes.activityOf(scope, params.run!, of);
          const { steps: found, ...rest } = await steps.list(scope, params.run!, { ...cursorPage(query), within });
          return { items: found.map(renderStep), ...rest };
        },
      }),
    ),
    {
      method: 'GET',
      path: `${RUN}/logs`,
      operation: 'readLogs',
      summary: 'Read or follow the log of a run',
      access: VIEWER,
      streams: true,
      query: logsQuery,
      responses: {
        200: {
          description:
            'The log. With `follow=true` server-sent events: `log` events with an id each, to be resumed with ' +
            '`Last-Event-ID`, and one `end` event with the final status. Where several nodes write, each line begins with ' +
            'the name of its node, and each event has it as `activity`. With `timestamps=true` each line begins with its ' +
            'time, and with `format=json` each line is an object.',
          type: 'text/plain',
        },
      },
      async handle({ scope, params, query, headers, principal, signal, admitted }) {
        const { org_id, project_id } = scope;
        const run_id = runId(params.run);
        const place = { org_id, project_id, run_id };
        const names = (await nodes.several(place)) ? new LogNames(on, () => nodes.labels(place)) : undefined;
        const named = { ...parts, names };
        const selected = {
          ...named,
          logs: inTurns(engine.logs, pages, { signal, caller: principal?.id ?? '' }),
          fits: selection(on, query),
        };
        if (query.follow !== 'true') {
          const type = query.format === 'json' ? 'application/x-ndjson' : 'text/plain';
          return streamed(await readLog(selected, run_id, query), `${type}; charset=utf-8`);
        }
        if (query.grep !== undefined) throw followedInChunks();
        const last = headers['last-event-id'];
        const start = last ? { after: checkLogId(last) } : await startOf(selected, run_id, query);
        const followed = followLog({ ...selected, start }, run_id, start.after, signal, admitted);
        return streamed(followed, 'text/event-stream; charset=utf-8');
      },
    },
  ];
}

/** What `svc check --replay` reads. Members may submit scripts, which see as much. */
export const historyRoute = (histories: Histories): Route =>
  largePages({
    method: 'GET',
    path: `${RUN}/history`,
    operation: 'readHistory',
    summary: 'Read what a replay of a script reads: its input, its variables and its recorded calls',
    access: MEMBER,
    query: historyQuery,
    responses: {
      200: { description: 'A page.', schema: withDefinitions(historySchema, { 'journal-record': recordSchema }) },
    },
    handle: async ({ scope, params, query }) => ({
      status: 200,
      json: await histories.read(scope, params.run!, cursorPage(query)),
    }),
  });

const followedInChunks = () => {
  const message = 'is for a log that is not followed; filter the lines that you follow yourself';
  return Errors.invalidRequest(`grep ${message}`, { errors: [{ pointer: '/query/grep', message }] });
};

/** Throws `invalid_request` for an id that this service never gave. */
function checkLogId(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  const message = 'is not an id of this log; omit it to start at the beginning';
  throw Errors.invalidRequest(`Last-Event-ID ${message}`, { errors: [{ pointer: '/headers/last-event-id', message }] });
}

function streamed(log: AsyncIterable<Buffer | string>, type: string): HttpReply {
  const stream = Readable.from(log, { objectMode: false, highWaterMark: BUFFERED_BYTES });
  return { status: 200, stream, type, headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' } };
}

/** 256 KiB; JSON may write each byte as six. */
const CELL_BODY_LIMIT = 2 * 1024 * 1024;

/** Durable values of the project. */
export const stateRoutes = (state: ProjectState): Route[] => [...readStateRoutes(state), ...writeStateRoutes(state)];

function readStateRoutes(state: ProjectState): Route[] {
  return [
    listRoute({
      path: ENTITY,
      operation: 'listState',
      summary: 'List the keys of an entity, in byte order',
      access: VIEWER,
      plural: 'cells',
      item: cellSchema,
      description: 'A page of keys.',
      async list({ scope, params, query }) {
        const { cells, ...rest } = await state.list(scope, params.entity!, cursorPage(query));
        return { items: cells.map(renderCell), ...rest };
      },
    }),
    {
      method: 'GET',
      path: `${ENTITY}/:key`,
      operation: 'getState',
      summary: 'Read a durable value of the project',
      access: VIEWER,
      responses: { 200: { description: 'The value.', schema: cellSchema } },
      handle: async ({ scope, params }) => ({
        status: 200,
        json: renderCell(await state.read(scope, params.entity!, params.key!)),
      }),
    },
  ];
}

function writeStateRoutes(state: ProjectState): Route[] {
  return [
    {
      method: 'PUT',
      path: `${ENTITY}/:key`,
      operation: 'putState',
      summary: 'Set a durable value of the project',
      access: MEMBER,
      body: putCellSchema,
      body_limit: CELL_BODY_LIMIT,
      responses: {
        200: { description: 'Replaced.', schema: cellKeySchema },
        201: { description: 'Made.', schema: cellKeySchema },
      },
      async handle(request) {
        const { entity, key } = request.params as { entity: string; key: string };
        const { value } = request.body as PutCellBody;
        const made = await state.write(request.scope, entity, key, value, auditSource(request));
        return { status: made ? 201 : 200, json: { entity, key } };
      },
    },
    {
      method: 'DELETE',
      path: `${ENTITY}/:key`,
      operation: 'deleteState',
      summary: 'Delete a durable value of the project',
      access: MEMBER,
      responses: { 204: { description: 'Deleted.' } },
      async handle(request) {
        const { entity, key } = request.params as { entity: string; key: string };
        await state.remove(request.scope, entity, key, auditSource(request));
        return { status: 204 };
      },
    },
  ];
}
