import type { Route } from '../../../kernel/contracts/index.ts';
import type { ShownEvent } from '../generated/shown-event.ts';
import answerSchema from '../schema/shown-event.schema.json' with { type: 'json' };
import type { EventViews } from '../service/event-views.ts';
import { renderEvent, SCOPED, scopeOf, VIEWER } from './shapes.ts';

/** `GET {scoped}/events/{event}`: its payload and what came of it. */
export function getEventRoute(views: EventViews): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/events/:event`,
    operation: 'getEvent',
    summary: 'Show one event with what came of it',
    access: VIEWER,
    responses: { 200: { description: 'The event.', schema: answerSchema } },
    async handle({ scope, params }) {
      const { event, deliveries, more } = await views.read(scopeOf(scope), params.event ?? '');
      const json: ShownEvent = {
        ...renderEvent(event, event.key),
        payload: event.payload,
        ...(event.fields === undefined ? {} : { fields: event.fields }),
        deliveries,
        ...(more === 0 ? {} : { more }),
      };
      return { status: 200, json };
    },
  };
}
