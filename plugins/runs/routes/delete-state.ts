import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { ProjectState } from '../service/project-state.ts';
import { MEMBER, SCOPED } from './paths.ts';

/** `DELETE {scoped}/state/{entity}/{key}`; 404 when there is none. */
export function deleteStateRoute(state: ProjectState): Route {
  return {
    method: 'DELETE',
    path: `${SCOPED}/state/:entity/:key`,
    operation: 'deleteState',
    summary: 'Delete a durable value of the project',
    access: MEMBER,
    responses: { 204: { description: 'Deleted.' } },
    async handle(request) {
      const { entity, key } = request.params as { entity: string; key: string };
      await state.remove(request.scope, entity, key, auditSource(request));
      return { status: 204 };
    },
  };
}
