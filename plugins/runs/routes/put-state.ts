import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { PutCellBody } from '../generated/put-cell.ts';
import bodySchema from '../schema/put-cell.schema.json' with { type: 'json' };
import type { ProjectState } from '../service/project-state.ts';
import { MEMBER, SCOPED } from './paths.ts';

/** 256 KiB, each of whose bytes JSON may write as six. */
const BODY_LIMIT = 2 * 1024 * 1024;

/** `PUT {scoped}/state/{entity}/{key}`: 201 when it is new, 200 when it was replaced. */
export function putStateRoute(state: ProjectState): Route {
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: ['entity', 'key'],
    properties: { entity: { type: 'string' }, key: { type: 'string' } },
  };
  return {
    method: 'PUT',
    path: `${SCOPED}/state/:entity/:key`,
    operation: 'putState',
    summary: 'Set a durable value of the project',
    access: MEMBER,
    body: bodySchema,
    body_limit: BODY_LIMIT,
    responses: { 200: { description: 'Replaced.', schema }, 201: { description: 'Made.', schema } },
    async handle(request) {
      const { entity, key } = request.params as { entity: string; key: string };
      const { value } = request.body as PutCellBody;
      const made = await state.write(request.scope, entity, key, value, auditSource(request));
      return { status: made ? 201 : 200, json: { entity, key } };
    },
  };
}
