import { readFileSync } from 'node:fs';
import { Errors } from '../../../kernel/contracts/index.ts';
import { compileAtUse, readJson } from '../../schema/contract.ts';
import type { MappedRole, RoleMap } from '../generated/role-map.ts';
import schema from '../schema/role-map.schema.json' with { type: 'json' };
import { urlFault } from './urls.ts';

export interface OidcSettings {
  issuer: URL;
  client_id: string;
  client_secret: string;
  scopes: string;
  roles: RoleMap | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const [ISSUER, CLIENT_ID, CLIENT_SECRET, ROLES, SCOPES] = [
  'SVC_OIDC_ISSUER',
  'SVC_OIDC_CLIENT_ID',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_OIDC_ROLES',
  'SVC_OIDC_SCOPES',
] as const;

const NEEDED = [ISSUER, CLIENT_ID, CLIENT_SECRET] as const;
const DEFAULT_SCOPES = 'openid profile email';

const validate = compileAtUse(schema);

/** Undefined when no issuer is set. Throws `setting_invalid` with every fault; no message repeats a secret. */
export function readOidcSettings(env: Environment): OidcSettings | undefined {
  const given = [...NEEDED, ROLES, SCOPES].filter((name) => env[name]);
  if (given.length === 0) return undefined;
  const faults = NEEDED.filter((name) => !env[name]).map((name) => `${name} is missing, and ${given[0]} is set`);
  const issuer = issuerOf(env[ISSUER], faults);
  const client_secret = secretOf(env[CLIENT_SECRET], faults);
  const roles = rolesOf(env[ROLES], faults);
  const scopes = scopesOf(env[SCOPES], faults);
  if (faults.length > 0) throw Errors.settingInvalid(faults.join('; '));
  return { issuer: issuer!, client_id: env[CLIENT_ID]!, client_secret, scopes, roles };
}

function issuerOf(text: string | undefined, faults: string[]): URL | undefined {
  if (!text) return undefined;
  const fault = urlFault(text);
  if (fault === undefined) return new URL(text);
  faults.push(`${ISSUER} ${fault}`);
  return undefined;
}

function secretOf(text: string | undefined, faults: string[]): string {
  if (!text?.startsWith('@')) return text ?? '';
  const read = fileText(text.slice(1));
  if ('text' in read) return read.text;
  faults.push(`${CLIENT_SECRET} ${read.fault}`);
  return '';
}

function scopesOf(text: string | undefined, faults: string[]): string {
  const scopes = (text || DEFAULT_SCOPES).split(/[\s,]+/).filter((scope) => scope !== '');
  if (!scopes.includes('openid')) faults.push(`${SCOPES} must have the scope openid`);
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)))
    faults.push(`${SCOPES} must be scopes with spaces between them`);
  return scopes.join(' ');
}

function rolesOf(text: string | undefined, faults: string[]): RoleMap | undefined {
  if (!text) return undefined;
  const document = text.startsWith('@') ? fileText(text.slice(1)) : { text };
  if ('fault' in document) return nothing(faults, document.fault);
  const read = readJson(Buffer.from(document.text));
  if (!('value' in read)) return nothing(faults, 'is not valid JSON');
  const found = validate(read.value).map(({ pointer, message }) => `${ROLES}${pointer} ${message}`);
  faults.push(...found);
  if (found.length > 0) return undefined;
  const roles = read.value as RoleMap;
  for (const [value, one] of Object.entries(roles.map))
    for (const role of [one].flat()) {
      const fault = roleFault(role);
      if (fault !== undefined) faults.push(`${ROLES}: ${JSON.stringify(value)} ${fault}`);
    }
  return roles;
}

/** Roles of orgs and of projects are different words, except for one. */
function roleFault({ project, role }: MappedRole): string | undefined {
  if (project !== undefined && role === 'owner')
    return 'gives owner of a project; owner is a role of an org: leave project out';
  return undefined;
}

function nothing(faults: string[], fault: string): undefined {
  faults.push(`${ROLES} ${fault}`);
  return undefined;
}

/** The text of a file, without the line break at its end. */
function fileText(path: string): { text: string } | { fault: string } {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { fault: `names the file ${path}, which is empty` } : { text };
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    return { fault: `names the file ${path}, which cannot be read (${code})` };
  }
}
