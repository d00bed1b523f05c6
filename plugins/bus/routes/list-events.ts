import { type Clock, readSince, type Route } from '../../../kernel/contracts/index.ts';
import type { EventSource } from '../contract.ts';
import eventSchema from '../schema/event.schema.json' with { type: 'json' };
import querySchema from '../schema/list-events-query.schema.json' with { type: 'json' };
import type { EventViews } from '../service/event-views.ts';
import { cursorOf, listSchema, placeOf, renderEvent, SCOPED, scopeOf, VIEWER } from './shapes.ts';

const SEQ = /^seq\d{1,16}$/;

/** `GET {scoped}/events`: newest first, without payloads. */
export function listEventsRoute(views: EventViews, clock: Clock): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/events`,
    operation: 'listEvents',
    summary: 'List events, newest first',
    access: VIEWER,
    query: querySchema,
    responses: { 200: { description: 'A page of events.', schema: listSchema('events', eventSchema) } },
    async handle({ scope, query }) {
      const { type, key, source, since, cursor, limit = '50' } = query;
      const filter = {
        ...(type === undefined ? {} : { type }),
        ...(key === undefined ? {} : { key }),
        ...(source === undefined ? {} : { source: source as EventSource }),
        ...(since === undefined ? {} : { since: readSince(since, clock.now()) }),
        ...(cursor === undefined ? {} : { before_seq: Number(placeOf(cursor, SEQ).slice(3)) }),
      };
      const { events, next_seq } = await views.list(scopeOf(scope), filter, Number(limit));
      const rendered = events.map((event) => renderEvent(event, event.event_key));
      const next = next_seq === undefined ? {} : { next_cursor: cursorOf(`seq${next_seq}`) };
      return { status: 200, json: { events: rendered, ...next } };
    },
  };
}
