import { pageQuery, type Route } from '../../../kernel/contracts/index.ts';
import typeSchema from '../schema/event-type.schema.json' with { type: 'json' };
import type { EventCatalog } from '../service/event-catalog.ts';
import { cursorOf, iso, listSchema, placeOf, SCOPED, scopeOf, VIEWER } from './shapes.ts';

const TYPE = /^type [A-Za-z0-9._-]{1,64}$/;

/** `GET {scoped}/event-types`: what can be waited for and handled, by name. */
export function listEventTypesRoute(catalog: EventCatalog): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/event-types`,
    operation: 'listEventTypes',
    summary: 'List the types of events that the project knows',
    access: VIEWER,
    query: pageQuery,
    responses: { 200: { description: 'A page of types, by name.', schema: listSchema('types', typeSchema) } },
    async handle({ scope, query }) {
      const after = query.cursor === undefined ? '' : placeOf(query.cursor, TYPE).slice('type '.length);
      const { types, more } = await catalog.list(scopeOf(scope), after, Number(query.limit ?? '50'));
      const rendered = types.map(({ last_seen, ...entry }) => ({
        ...entry,
        ...(last_seen === undefined ? {} : { last_seen: iso(last_seen) }),
      }));
      const next = more ? { next_cursor: cursorOf(`type ${types.at(-1)!.type}`) } : {};
      return { status: 200, json: { types: rendered, ...next } };
    },
  };
}
