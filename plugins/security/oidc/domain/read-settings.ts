import { Errors } from '../../../../kernel/contracts/index.ts';
import { compileAtUse, readJson, readSettingFile } from '../../../platform/schema/contract.ts';
import type { MappedRole, RoleMap } from '../generated/role-map.ts';
import schema from '../schema/role-map.schema.json' with { type: 'json' };
import { validateIssuerUrl } from './urls.ts';

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

/** Reads the settings; undefined when no issuer is set. Throws `setting_invalid` with every error, and never with a secret. */
export function readOidcSettings(env: Environment): OidcSettings | undefined {
  const configured = [...NEEDED, ROLES, SCOPES].filter((name) => env[name]);
  if (configured.length === 0) return undefined;
  const errors = NEEDED.filter((name) => !env[name]).map((name) => `${name} is missing, but ${configured[0]} is set`);
  const issuer = issuerOf(env[ISSUER], errors);
  const client_secret = secretOf(env[CLIENT_SECRET], errors);
  const roles = rolesOf(env[ROLES], errors);
  const scopes = scopesOf(env[SCOPES], errors);
  if (errors.length > 0) throw Errors.settingInvalid(errors.join('; '));
  return { issuer: issuer!, client_id: env[CLIENT_ID]!, client_secret, scopes, roles };
}

function issuerOf(text: string | undefined, errors: string[]): URL | undefined {
  if (!text) return undefined;
  const error = validateIssuerUrl(text);
  if (error === undefined) return new URL(text);
  errors.push(`${ISSUER} ${error}`);
  return undefined;
}

function secretOf(text: string | undefined, errors: string[]): string {
  if (!text?.startsWith('@')) return text ?? '';
  const read = readSettingFile(text.slice(1));
  if ('text' in read) return read.text;
  errors.push(`${CLIENT_SECRET} ${read.error}`);
  return '';
}

function scopesOf(text: string | undefined, errors: string[]): string {
  const scopes = (text || DEFAULT_SCOPES).split(/[\s,]+/).filter((scope) => scope !== '');
  if (!scopes.includes('openid')) errors.push(`${SCOPES} must have the scope openid`);
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)))
    errors.push(`${SCOPES} must be scopes, separated by spaces`);
  return scopes.join(' ');
}

function rolesOf(text: string | undefined, errors: string[]): RoleMap | undefined {
  if (!text) return undefined;
  const document = text.startsWith('@') ? readSettingFile(text.slice(1)) : { text };
  if ('error' in document) return addRolesError(errors, document.error);
  const read = readJson(Buffer.from(document.text));
  if (!('value' in read)) return addRolesError(errors, 'is not valid JSON');
  const schema_errors = validate(read.value).map(({ pointer, message }) => `${ROLES}${pointer} ${message}`);
  errors.push(...schema_errors);
  if (schema_errors.length > 0) return undefined;
  const roles = read.value as RoleMap;
  for (const [value, one] of Object.entries(roles.map))
    for (const role of [one].flat()) {
      const error = validateRole(role);
      if (error !== undefined) errors.push(`${ROLES}: ${JSON.stringify(value)} ${error}`);
    }
  return roles;
}

/** Rejects `owner` for a project. All other roles are valid for the scopes that the schema allows. */
function validateRole({ project, role }: MappedRole): string | undefined {
  if (project !== undefined && role === 'owner')
    return 'gives owner of a project; owner is a role of an org: leave project out';
  return undefined;
}

function addRolesError(errors: string[], error: string): undefined {
  errors.push(`${ROLES} ${error}`);
  return undefined;
}
