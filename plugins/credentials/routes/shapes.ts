import type { Access, HttpRequest } from '../../../kernel/contracts/index.ts';
import { CREDENTIAL_KINDS } from '../contract.ts';

export const CREDENTIALS = '/api/v1/orgs/:org/projects/:project/credentials';
export const CREDENTIAL = `${CREDENTIALS}/:credential`;

export const MEMBER: Access = { kind: 'project', role: 'member' };
export const ADMIN: Access = { kind: 'project', role: 'admin' };

const text = { type: 'string' } as const;
const kind = { type: 'string', enum: CREDENTIAL_KINDS } as const;

const object = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
  properties,
});

export const entrySchema = object({ name: text, kind });
export const listSchema = object({ credentials: { type: 'array', items: entrySchema }, next_cursor: text }, [
  'next_cursor',
]);
export const usesSchema = object({
  name: text,
  uses: { type: 'array', items: object({ kind: text, name: text, detail: text }) },
  more: { type: 'boolean' },
});

/** Which fields go with which kind is told by the rules of the plugin, so that no answer repeats a value. */
export const bodySchema = object(
  {
    kind: { type: 'string', description: 'bearer, api_key, basic or url_token.' },
    token: { type: 'string', description: 'Of bearer and url_token.' },
    header: { type: 'string', description: 'Of api_key: the name of the header.' },
    value: { type: 'string', description: 'Of api_key: the key.' },
    username: { type: 'string', description: 'Of basic; without a colon.' },
    password: { type: 'string', description: 'Of basic.' },
  },
  ['token', 'header', 'value', 'username', 'password'],
);

export const nameOf = ({ params }: HttpRequest): string => params.credential ?? '';
