import type { Route } from '../../../kernel/contracts/index.ts';
import cellSchema from '../schema/cell.schema.json' with { type: 'json' };
import querySchema from '../schema/page-query.schema.json' with { type: 'json' };
import type { ProjectState } from '../service/project-state.ts';
import { renderCell } from '../service/render.ts';
import { listSchema } from './list-schema.ts';
import { SCOPED, VIEWER } from './paths.ts';

/** `GET {scoped}/state/{entity}`: its keys in byte order, without the values. */
export function listStateRoute(state: ProjectState): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/state/:entity`,
    operation: 'listState',
    summary: 'List the keys of an entity, in byte order',
    access: VIEWER,
    query: querySchema,
    responses: { 200: { description: 'A page of keys.', schema: listSchema('cells', cellSchema) } },
    async handle({ scope, params, query }) {
      const page = { limit: Number(query.limit ?? 50), cursor: query.cursor };
      const { cells, next_cursor } = await state.list(scope, params.entity!, page);
      return { status: 200, json: { cells: cells.map(renderCell), next_cursor } };
    },
  };
}
