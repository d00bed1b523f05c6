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
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import type { Json } from '../../engine/runs/contract.ts';
import { readSince, detachMember } from '../../platform/schema/contract.ts';
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

export interface BusRoutesDeps {
  bus: Bus;
  views: EventViews;
  catalog: EventCatalog;
  clock: Clock;
}

const EVENTS = `${SCOPED}/events`;

export const busRoutes = (deps: BusRoutesDeps): Route[] => [...eventRoutes(deps), typesRoute(deps.catalog)];

const eventRoutes = ({ bus, views, clock }: BusRoutesDeps): Route[] => [
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
      200: {
        description: 'The idempotency key was used before; the response is the first event.',
        schema: emittedSchema,
      },
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
      const { type, key, source, exclude, since, cursor } = query;
      const filter = {
        type,
        key,
        source: source as EventSource | undefined,
        excluded_sources: exclude?.split(',') as EventSource[] | undefined,
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
    summary: 'Show one event with its effects',
    access: VIEWER,
    responses: { 200: { description: 'The event.', schema: shownSchema } },
    async handle({ scope, params }) {
      const { event, deliveries, unlisted_count, replays } = await views.read(scopeOf(scope), params.event ?? '');
      const { payload, fields } = event;
      const json: ShownEvent = {
        ...renderEvent(event, event.key),
        payload,
        fields,
        deliveries: deliveries.map(({ waits, ...delivery }) =>
          waits
            ? { ...delivery, waits: { ...waits, until: waits.until === undefined ? undefined : iso(waits.until) } }
            : delivery,
        ),
        more: unlisted_count || undefined,
        replays: replays.map(renderReplay),
      };
      return { status: 200, json };
    },
  }),
];

const renderReplay = ({
  event_id: _event,
  replay_id,
  name,
  at,
  ...delivery
}: Replay): ShownEvent['replays'][number] => ({
  replay: replay_id,
  handler: name,
  ...delivery,
  at: iso(at),
});

const typesRoute = (catalog: EventCatalog): Route =>
  listRoute({
    path: `${SCOPED}/event-types`,
    operation: 'listEventTypes',
    summary: 'List the event types of the project',
    access: VIEWER,
    plural: 'types',
    item: typeSchema,
    description: 'A page of types, by name.',
    async list({ scope, query }) {
      const after = decodeCursor(query.cursor, 'id')?.[0] ?? '';
      const { types, has_more } = await catalog.list(scopeOf(scope), after, limitOf(query));
      const items = types.map(({ last_seen, ...entry }) => ({
        ...entry,
        last_seen: last_seen === undefined ? undefined : iso(last_seen),
      }));
      return { items, next_cursor: has_more ? encodeCursor(types.at(-1)!.type) : undefined };
    },
  });

/** An emit over HTTP comes from outside of any run, so it is trusted and its generation is 0. */
async function emit(bus: Bus, request: HttpRequest) {
  const body = request.body as EmitEventBody;
  const { type, key } = body;
  const event = {
    ...scopeOf(request.scope),
    type,
    key: key ?? null,
    payload: (detachMember(body, 'payload') ?? null) as Json,
    source: 'emit',
    source_name: '',
    generation: 0,
    trusted: true,
    dedup: dedupOf(request),
    refusable: true,
  } as const;
  const { event_id, duplicate } = await bus.emit(event, auditSource(request));
  if (!duplicate) return { status: 201, json: { event: event_id } };
  const differs = hasOtherContent(event, await bus.read(event, event_id)) || undefined;
  return { status: 200, json: { event: event_id, duplicate: true, event_differs: differs } };
}

/**
 * A repeated request is not recorded, so its sender must learn when its content differs from the first one (ruling
 * 41).
 */
const hasOtherContent = (repeat: EventContent, first: EventContent | undefined): boolean =>
  first !== undefined && !isDeepStrictEqual(pickContent(repeat), pickContent(first));

type EventContent = Pick<StoredEvent, 'type' | 'key' | 'payload'>;

const pickContent = ({ type, key, payload }: EventContent) => ({ type, key, payload });

const dedupOf = (request: HttpRequest): string | undefined => {
  const digest = keyDigest(request);
  return digest === undefined ? undefined : `key:${digest}`;
};

const scopeOf = ({ org_id, project_id }: ProjectScope): ProjectScope => ({ org_id, project_id });
