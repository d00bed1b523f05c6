import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  decodeCursor,
  documentRoute,
  encodeCursor,
  type HttpRequest,
  iso,
  limitOf,
  listRoute,
  MEMBER,
  type Route,
  SCOPED,
  VIEWER,
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import type { Json } from '../runs/contract.ts';
import { readSince, takeMember } from '../schema/contract.ts';
import {
  EMIT_BYTES,
  type EventSource,
  keyDigest,
  type ProjectScope,
  type Replay,
  type StoredEvent,
} from './contract.ts';
import type { EmitEventBody } from './generated/emit-event.ts';
import type { ShownEvent } from './generated/shown-event.ts';
import emitSchema from './schema/emit-event.schema.json' with { type: 'json' };
import emittedSchema from './schema/emitted-event.schema.json' with { type: 'json' };
import typeSchema from './schema/event-type.schema.json' with { type: 'json' };
import eventSchema from './schema/event.schema.json' with { type: 'json' };
import querySchema from './schema/list-events-query.schema.json' with { type: 'json' };
import shownSchema from './schema/shown-event.schema.json' with { type: 'json' };
import type { Bus } from './service/bus.ts';
import type { EventCatalog } from './service/event-catalog.ts';
import type { EventViews } from './service/event-views.ts';
import { renderEvent } from './service/render.ts';

export interface BusRoutesParts {
  bus: Bus;
  views: EventViews;
  catalog: EventCatalog;
  clock: Clock;
}

const EVENTS = `${SCOPED}/events`;

export const busRoutes = (parts: BusRoutesParts): Route[] => [...eventRoutes(parts), typesRoute(parts.catalog)];

const eventRoutes = ({ bus, views, clock }: BusRoutesParts): Route[] => [
  {
    method: 'POST',
    path: EVENTS,
    operation: 'emitEvent',
    summary: 'Emit an event',
    access: MEMBER,
    body: emitSchema,
    body_limit: EMIT_BYTES,
    responses: {
      201: { description: 'The event is recorded, with everything it starts.', schema: emittedSchema },
      200: { description: 'The idempotency key was used before: the first event.', schema: emittedSchema },
    },
    handle: (request) => emit(bus, request),
  },
  listRoute({
    path: EVENTS,
    operation: 'listEvents',
    summary: 'List events, newest first',
    access: VIEWER,
    query: querySchema,
    plural: 'events',
    item: eventSchema,
    description: 'A page of events.',
    async list({ scope, query }) {
      const { type, key, source, since, cursor } = query;
      const filter = {
        type,
        key,
        source: source as EventSource | undefined,
        since: since === undefined ? undefined : readSince(since, clock.now()),
        before_seq: decodeCursor(cursor, 'number')?.[0],
      };
      const { events, next_seq } = await views.list(scopeOf(scope), filter, limitOf(query));
      const items = events.map((event) => renderEvent(event, event.event_key));
      return { items, next_cursor: next_seq === undefined ? undefined : encodeCursor(next_seq) };
    },
  }),
  documentRoute({
    method: 'GET',
    path: `${EVENTS}/:event`,
    operation: 'getEvent',
    summary: 'Show one event with what came of it',
    access: VIEWER,
    responses: { 200: { description: 'The event.', schema: shownSchema } },
    async handle({ scope, params }) {
      const { event, deliveries, more, replays } = await views.read(scopeOf(scope), params.event ?? '');
      const { payload, fields } = event;
      const json: ShownEvent = {
        ...renderEvent(event, event.key),
        payload,
        fields,
        deliveries,
        more: more || undefined,
        replays: replays.map(renderReplay),
      };
      return { status: 200, json };
    },
  }),
];

const renderReplay = ({ event_id: _event, replay_id, name, at, ...rest }: Replay): ShownEvent['replays'][number] => ({
  replay: replay_id,
  handler: name,
  ...rest,
  at: iso(at),
});

const typesRoute = (catalog: EventCatalog): Route =>
  listRoute({
    path: `${SCOPED}/event-types`,
    operation: 'listEventTypes',
    summary: 'List the types of events that the project knows',
    access: VIEWER,
    plural: 'types',
    item: typeSchema,
    description: 'A page of types, by name.',
    async list({ scope, query }) {
      const after = decodeCursor(query.cursor, 'id')?.[0] ?? '';
      const { types, more } = await catalog.list(scopeOf(scope), after, limitOf(query));
      const items = types.map(({ last_seen, ...entry }) => ({
        ...entry,
        last_seen: last_seen === undefined ? undefined : iso(last_seen),
      }));
      return { items, next_cursor: more ? encodeCursor(types.at(-1)!.type) : undefined };
    },
  });

/** From outside of runs, so its generation is 0 and it is trusted. */
async function emit(bus: Bus, request: HttpRequest) {
  const body = request.body as EmitEventBody;
  const { type, key } = body;
  const emitted = {
    ...scopeOf(request.scope),
    type,
    key: key ?? null,
    payload: (takeMember(body, 'payload') ?? null) as Json,
    source: 'emit',
    source_name: '',
    generation: 0,
    trusted: true,
    dedup: dedupOf(request),
    refusable: true,
  } as const;
  const { event_id, duplicate } = await bus.emit(emitted, auditSource(request));
  if (!duplicate) return { status: 201, json: { event: event_id } };
  const differs = isAnother(emitted, await bus.read(emitted, event_id)) || undefined;
  return { status: 200, json: { event: event_id, duplicate: true, event_differs: differs } };
}

/** What a repeat carries is not recorded, so whoever sent it must learn that it was something else (ruling 41). */
const isAnother = (repeat: EventContent, first: EventContent | undefined): boolean =>
  first !== undefined && !isDeepStrictEqual(contentOf(repeat), contentOf(first));

type EventContent = Pick<StoredEvent, 'type' | 'key' | 'payload'>;

const contentOf = ({ type, key, payload }: EventContent) => ({ type, key, payload });

const dedupOf = (request: HttpRequest): string | undefined => {
  const digest = keyDigest(request);
  return digest === undefined ? undefined : `key:${digest}`;
};

const scopeOf = ({ org_id, project_id }: ProjectScope): ProjectScope => ({ org_id, project_id });
