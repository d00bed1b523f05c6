import type { Access, HttpRequest } from '../../../kernel/contracts/index.ts';
import type { SecretEntry } from '../contract.ts';

export const SECRETS = '/api/v1/orgs/:org/projects/:project/secrets';
export const SECRET = `${SECRETS}/:secret`;

export const MEMBER: Access = { kind: 'project', role: 'member' };
export const ADMIN: Access = { kind: 'project', role: 'admin' };

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;

const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  properties,
});

export const entrySchema = object({ name: text, set_at: time });
export const valueSchema = object({ name: text, value: text, set_at: time });
export const listSchema = object({ secrets: { type: 'array', items: entrySchema }, next_cursor: text }, [
  'next_cursor',
]);
export const nameSchema = object({ name: text });

/** The value itself is checked by the rules of the plugin, so that no answer ever repeats a part of it. */
export const bodySchema = object({
  value: { type: 'string', description: 'Text of 4 characters to 48 KiB without NUL.' },
});

export const renderEntry = ({ name, set_at }: SecretEntry) => ({ name, set_at: new Date(set_at).toISOString() });

export const nameOf = ({ params }: HttpRequest): string => params.secret ?? '';
