import type { Access, HttpRequest, JsonSchema } from '../../../kernel/contracts/index.ts';
import hookSchema from '../schema/hook.schema.json' with { type: 'json' };

export const HOOKS = '/api/v1/orgs/:org/projects/:project/event-hooks';
export const HOOK = `${HOOKS}/:hook`;

export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const ADMIN: Access = { kind: 'project', role: 'admin' };

export const listSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['event_hooks'],
  properties: { event_hooks: { type: 'array', items: hookSchema }, next_cursor: { type: 'string' } },
};

export const nameOf = ({ params }: HttpRequest): string => params.hook ?? '';
