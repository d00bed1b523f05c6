import { Readable } from 'node:stream';
import {
  type Clock,
  Errors,
  type HttpReply,
  limitOf,
  listRoute,
  MEMBER,
  type Route,
  SCOPED,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import type { RunEngine } from './contract.ts';
import type { PutCellBody } from './generated/put-cell.ts';
import cellKeySchema from './schema/cell-key.schema.json' with { type: 'json' };
import cellSchema from './schema/cell.schema.json' with { type: 'json' };
import logsQuery from './schema/logs-query.schema.json' with { type: 'json' };
import putCellSchema from './schema/put-cell.schema.json' with { type: 'json' };
import stepSchema from './schema/step.schema.json' with { type: 'json' };
import { followLog, type LogParts, wholeLog } from './service/follow.ts';
import type { ProjectState } from './service/project-state.ts';
import { renderCell, renderStep } from './service/render.ts';
import type { RunViews } from './service/run-views.ts';
import type { RunWatch } from './service/run-watch.ts';
import type { StepViews } from './service/step-views.ts';

const RUN = `${SCOPED}/runs/:run`;
const ENTITY = `${SCOPED}/state/:entity`;

/** Bytes that may wait for a slow reader before reading the log pauses. */
const BUFFERED_BYTES = 64 * 1024;

const cursorPage = (query: Readonly<Record<string, string>>) => ({ limit: limitOf(query), cursor: query.cursor });

export interface DetailParts {
  engine: RunEngine;
  views: RunViews;
  steps: StepViews;
  watch: RunWatch;
  clock: Clock;
}

/** The steps and the log of a run. */
export function detailRoutes({ engine, views, steps, watch, clock }: DetailParts): Route[] {
  const parts: LogParts = { watch, clock, logs: engine.logs, status: views.status };
  return [
    listRoute({
      path: `${RUN}/steps`,
      operation: 'listSteps',
      summary: 'List the durable calls of a run, in order',
      access: VIEWER,
      plural: 'steps',
      item: stepSchema,
      description: 'A page of steps.',
      async list({ scope, params, query }) {
        const { steps: found, ...rest } = await steps.list(scope, params.run!, cursorPage(query));
        return { items: found.map(renderStep), ...rest };
      },
    }),
    {
      method: 'GET',
      path: `${RUN}/logs`,
      operation: 'readLogs',
      summary: 'Read or follow the log of a run',
      access: VIEWER,
      query: logsQuery,
      responses: {
        200: {
          description:
            'The log. With `follow=true` server-sent events: `log` events with an id each, to be resumed with ' +
            '`Last-Event-ID`, and one `end` event with the final status.',
          type: 'text/plain',
        },
      },
      async handle({ scope, params, query, headers, signal }) {
        const { run_id } = await views.read(scope, params.run!);
        if (query.follow !== 'true') return streamed(wholeLog(parts, run_id), 'text/plain; charset=utf-8');
        const last = headers['last-event-id'];
        const after = last ? checkLogId(last) : undefined;
        return streamed(followLog(parts, run_id, after, signal), 'text/event-stream; charset=utf-8');
      },
    },
  ];
}

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
