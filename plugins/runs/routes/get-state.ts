import type { Route } from '../../../kernel/contracts/index.ts';
import cellSchema from '../schema/cell.schema.json' with { type: 'json' };
import type { ProjectState } from '../service/project-state.ts';
import { renderCell } from '../service/render.ts';
import { SCOPED, VIEWER } from './paths.ts';

/** `GET {scoped}/state/{entity}/{key}`. */
export function getStateRoute(state: ProjectState): Route {
  return {
    method: 'GET',
    path: `${SCOPED}/state/:entity/:key`,
    operation: 'getState',
    summary: 'Read a durable value of the project',
    access: VIEWER,
    responses: { 200: { description: 'The value.', schema: cellSchema } },
    async handle({ scope, params }) {
      return { status: 200, json: renderCell(await state.read(scope, params.entity!, params.key!)) };
    },
  };
}
