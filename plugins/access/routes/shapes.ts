import type { HttpRequest } from '../../../kernel/contracts/index.ts';
import type { Identity } from '../domain/identity.ts';
import { NAME_PATTERN } from '../domain/names.ts';
import { ORG_ROLES, PROJECT_ROLES } from '../domain/roles.ts';
import type { Access } from '../service/access.ts';

/** JSON Schemas that the routes of this plugin share. */
export const name = { type: 'string', pattern: NAME_PATTERN } as const;
export const time = { type: 'string', format: 'date-time' } as const;
export const orgRole = { type: 'string', enum: ORG_ROLES } as const;
export const projectRole = { type: 'string', enum: PROJECT_ROLES } as const;
/** A body without members: `{}`. */
export const emptyBody = { type: 'object', additionalProperties: false, properties: {} } as const;

export const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  properties,
});

export const listOf = (plural: string, item: object) =>
  object({ [plural]: { type: 'array', items: item }, next_cursor: { type: 'string' } }, ['next_cursor']);

export const iso = (time_ms: number): string => new Date(time_ms).toISOString();

/** The caller, in full. Only for routes that are not public. */
export async function callerOf(access: Access, request: HttpRequest): Promise<Identity> {
  if (!request.principal) throw new Error(`${request.method} ${request.path} reached its handler without a principal`);
  return access.identities.of(request.principal);
}
