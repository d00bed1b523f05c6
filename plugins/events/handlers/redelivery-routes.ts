import {
  type Database,
  listRoute,
  MEMBER,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { readSince } from '../../platform/schema/contract.ts';
import { KEY_HEADER, keyDigest } from '../bus/contract.ts';
import type { DismissDeadLettersBody } from './generated/dismiss-dead-letters.ts';
import type { RedeliverBody } from './generated/redeliver.ts';
import type { ReplayEventsBody } from './generated/replay-events.ts';
import letterQuery from './schema/dead-letters-query.schema.json' with { type: 'json' };
import letter from './schema/dead-letter.schema.json' with { type: 'json' };
import dismiss from './schema/dismiss-dead-letters.schema.json' with { type: 'json' };
import dismissed from './schema/dismissed-dead-letters.schema.json' with { type: 'json' };
import eventReplay from './schema/event-replay.schema.json' with { type: 'json' };
import redeliver from './schema/redeliver.schema.json' with { type: 'json' };
import replayPreview from './schema/replay-preview.schema.json' with { type: 'json' };
import replayEvents from './schema/replay-events.schema.json' with { type: 'json' };
import replayed from './schema/replayed-event.schema.json' with { type: 'json' };
import type { BulkReplays } from './service/bulk-replays.ts';
import type { DeadLetters } from './service/dead-letters.ts';

const REPLAYS = `${SCOPED}/event-replays`;
const LETTERS = `${SCOPED}/dead-letters`;

/** Replays of many events, which continue after the response. */
export const bulkReplayRoutes = (replays: BulkReplays): Route[] => [
  {
    method: 'POST',
    path: REPLAYS,
    operation: 'replayEvents',
    summary: 'Deliver many recorded events again to their handlers',
    access: MEMBER,
    body: replayEvents,
    headers: KEY_HEADER,
    responses: {
      201: { description: 'The replay has started.', schema: eventReplay },
      200: {
        description:
          'With `dry_run`, what it would deliver. Otherwise the key was used before, and the response is the first replay.',
        schema: { anyOf: [replayPreview, eventReplay] },
      },
    },
    async handle(request) {
      const { scope } = request;
      const body = request.body as ReplayEventsBody;
      if (body.dry_run) return { status: 200, json: await replays.preview(scope, body) };
      const json = await replays.begin({ scope, by: auditSource(request) }, body, keyDigest(request));
      return { status: json.duplicate ? 200 : 201, json };
    },
  },
  listRoute({
    path: REPLAYS,
    operation: 'listEventReplays',
    summary: 'List replays of many events, newest first',
    access: VIEWER,
    plural: 'event_replays',
    item: eventReplay,
    description: 'A page of replays: the replays in progress, and the last 100 that have ended.',
    list: ({ scope, query }) => replays.list(scope, readPage(query)),
  }),
  {
    method: 'GET',
    path: `${REPLAYS}/:replay`,
    operation: 'getEventReplay',
    summary: 'Show a replay of many events',
    access: VIEWER,
    responses: { 200: { description: 'The replay.', schema: eventReplay } },
    handle: async ({ scope, params }) => ({ status: 200, json: await replays.read(scope, params.replay ?? '') }),
  },
  {
    method: 'POST',
    path: `${REPLAYS}/:replay/cancel`,
    operation: 'cancelEventReplay',
    summary: 'Cancel a replay of many events; runs that it has started continue',
    access: MEMBER,
    responses: { 200: { description: 'The replay, which has ended.', schema: eventReplay } },
    async handle(request) {
      const { scope, params } = request;
      const call = { scope, name: params.replay ?? '', by: auditSource(request) };
      return { status: 200, json: await replays.cancel(call) };
    },
  },
];

export const deadLetterRoutes = (letters: DeadLetters, clock: Pick<Database, 'now'>): Route[] => [
  listRoute({
    path: LETTERS,
    operation: 'listDeadLetters',
    summary: 'List deliveries to handlers that have failed permanently, newest first',
    access: VIEWER,
    query: letterQuery,
    plural: 'dead_letters',
    item: letter,
    description: 'A page of dead letters.',
    list({ scope, query }) {
      const { handler: name, type, since } = query;
      const filter = { name, type, since: since === undefined ? undefined : readSince(since, clock.now()) };
      return letters.list(scope, filter, readPage(query));
    },
  }),
  {
    method: 'POST',
    path: `${LETTERS}/:letter/redeliver`,
    operation: 'redeliverDeadLetter',
    summary: 'Deliver the event of a dead letter again to its handler',
    access: MEMBER,
    body: redeliver,
    headers: KEY_HEADER,
    responses: {
      201: { description: 'A run of the handler has started.', schema: replayed },
      200: {
        description: 'The delivery is recorded, but no run has started; `reason` explains why. The dead letter stays.',
        schema: replayed,
      },
    },
    async handle(request) {
      const { scope, params, body } = request;
      const call = { scope, name: params.letter ?? '', by: auditSource(request) };
      const { force = false } = (body as RedeliverBody | undefined) ?? {};
      const json = await letters.redeliver(call, force, keyDigest(request));
      return { status: json.run_id !== undefined && !json.duplicate ? 201 : 200, json };
    },
  },
  {
    method: 'DELETE',
    path: `${LETTERS}/:letter`,
    operation: 'dismissDeadLetter',
    summary: 'Dismiss a dead letter; its event and its run stay',
    access: MEMBER,
    responses: { 204: { description: 'Dismissed.' } },
    async handle(request) {
      const { scope, params } = request;
      await letters.dismiss({ scope, name: params.letter ?? '', by: auditSource(request) });
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: `${LETTERS}/dismiss`,
    operation: 'dismissDeadLetters',
    summary: 'Dismiss the oldest dead letters that match, at most 1,000',
    access: MEMBER,
    body: dismiss,
    responses: { 200: { description: 'How many were dismissed.', schema: dismissed } },
    async handle(request) {
      const { handler: name, type, before } = request.body as DismissDeadLettersBody;
      const until = before === undefined ? undefined : readSince(before, clock.now(), 'before', '/before');
      const json = await letters.dismissMany({ scope: request.scope, by: auditSource(request) }, { name, type, until });
      return { status: 200, json };
    },
  },
];
