import { createPrivateKey } from 'node:crypto';
import { Errors, type Fault } from '../../../../kernel/contracts/index.ts';
import type { PutSecretStore } from '../generated/put-secret-store.ts';

export type StoreKind = PutSecretStore['kind'];

/** What is not secret of a store. */
export interface StoreOptions {
  url: string;
  mount?: string;
  kv_version?: 1 | 2;
  namespace?: string;
  region?: string;
  project?: string;
}

export interface ServiceAccount {
  client_email: string;
  private_key: string;
  private_key_id: string;
}

/** How svc logs in to a store. It is stored sealed, and nothing shows it. */
export type Login =
  | { by: 'token'; token: string }
  | { by: 'approle'; role_id: string; secret_id: string }
  | { by: 'keys'; access_key_id: string; secret_access_key: string }
  | ({ by: 'service_account' } & ServiceAccount);

type Member = Exclude<keyof PutSecretStore, 'kind' | 'url' | 'login'>;

const MEMBERS: Readonly<Record<StoreKind, readonly Member[]>> = {
  vault: ['mount', 'kv_version', 'namespace'],
  aws: ['region'],
  gcp: ['project'],
};
const OPTIONAL: readonly Member[] = ['mount', 'kv_version', 'namespace', 'region', 'project'];

const PATH = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;
const RULES: Readonly<Partial<Record<Member, RegExp>>> = {
  mount: PATH,
  namespace: PATH,
  region: /^[a-z0-9-]+$/,
  project: /^[a-z0-9][a-z0-9:.-]*$/,
};
const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** Validates a body. Throws `invalid_request` with every error; no message contains a part of the login. */
export function readStore(body: PutSecretStore): { options: StoreOptions; login: Login } {
  const { kind } = body;
  const errors = OPTIONAL.flatMap((name) => validateMember(body, name));
  const url = readUrl(body, errors);
  const read = readLogin(body);
  if (!('by' in read)) errors.push(...read.errors);
  const project = body.project ?? ('project' in read ? read.project : undefined);
  if (kind === 'gcp' && project === undefined && 'by' in read)
    errors.push({ pointer: '/project', message: 'is missing, and the service account does not specify it' });
  if (kind === 'aws' && body.region === undefined)
    errors.push({ pointer: '/region', message: 'is missing; aws needs it' });
  if (errors.length > 0 || url === undefined || !('by' in read)) throw invalid(errors);
  const { project: _, ...login } = read as Login & { project?: string };
  const { mount = 'secret', kv_version = 2, namespace, region } = body;
  if (kind === 'vault') return { options: { url, mount, kv_version, ...(namespace && { namespace }) }, login };
  return { options: { url, ...(kind === 'aws' ? { region: region! } : { project: project! }) }, login };
}

function invalid(errors: readonly Fault[]) {
  const detail = errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
  return Errors.invalidRequest(detail, { errors: [...errors] });
}

function validateMember(body: PutSecretStore, name: Member): Fault[] {
  const value = body[name];
  if (value === undefined) return [];
  const pointer = `/${name}`;
  if (!MEMBERS[body.kind].includes(name)) return [{ pointer, message: `is not an option of ${body.kind}` }];
  const rule = RULES[name];
  return rule && !rule.test(String(value)) ? [{ pointer, message: `must match ${rule.source}` }] : [];
}

function readUrl({ kind, url, region }: PutSecretStore, errors: Fault[]): string | undefined {
  if (url === undefined && kind === 'gcp') return 'https://secretmanager.googleapis.com';
  // An AWS store without a region is rejected for that.
  if (url === undefined && kind === 'aws') return `https://secretsmanager.${region}.amazonaws.com`;
  const reject = (message: string) => {
    errors.push({ pointer: '/url', message });
    return undefined;
  };
  if (url === undefined) return reject('is missing; vault needs it');
  if (!URL.canParse(url)) return reject('is not a complete URL, such as https://vault.example.com');
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return reject('must begin with https: or http:');
  if (username !== '' || password !== '') return reject('must not contain a username or password; use `login`');
  if (search !== '' || hash !== '') return reject('must have no query and no fragment');
  return origin + pathname.replace(/\/+$/, '');
}

const LOGINS: Readonly<Record<StoreKind, readonly (readonly (keyof PutSecretStore['login'])[])[]>> = {
  vault: [['token'], ['role_id', 'secret_id']],
  aws: [['access_key_id', 'secret_access_key']],
  gcp: [['service_account']],
};

function readLogin({ kind, login }: PutSecretStore): (Login & { project?: string }) | { errors: Fault[] } {
  const names = Object.keys(login).toSorted().join(' and ');
  const form = LOGINS[kind].find((members) => members.toSorted().join(' and ') === names);
  const forms = LOGINS[kind].map((members) => members.join(' and ')).join(', or ');
  const reject = (pointer: string, message: string) => ({ errors: [{ pointer, message }] });
  if (!form) return reject('/login', `must have ${forms}, and nothing else`);
  if (kind === 'gcp')
    return readServiceAccount(login.service_account!) ?? reject('/login/service_account', ACCOUNT_FORM);
  const wrong = form.find((name) => !HEADER_TEXT.test(login[name]!));
  if (wrong !== undefined) return reject(`/login/${wrong}`, 'must be ASCII without spaces and control characters');
  const { token, role_id, secret_id, access_key_id, secret_access_key } = login;
  if (token !== undefined) return { by: 'token', token };
  if (role_id !== undefined) return { by: 'approle', role_id, secret_id: secret_id! };
  return { by: 'keys', access_key_id: access_key_id!, secret_access_key: secret_access_key! };
}

const ACCOUNT_FORM =
  'must be the JSON of the key of a service account, with client_email, private_key_id and an RSA private_key';

function readServiceAccount(text: string): (Login & { project?: string }) | undefined {
  try {
    const { client_email, private_key, private_key_id, project_id } = JSON.parse(text) as Record<string, unknown>;
    if (typeof client_email !== 'string' || typeof private_key !== 'string' || typeof private_key_id !== 'string')
      return undefined;
    if (createPrivateKey(private_key).asymmetricKeyType !== 'rsa') return undefined;
    const project = typeof project_id === 'string' && RULES.project!.test(project_id) ? { project: project_id } : {};
    return { by: 'service_account', client_email, private_key, private_key_id, ...project };
  } catch {
    // The reason could quote the key.
    return undefined;
  }
}
