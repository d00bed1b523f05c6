import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import type { Found } from '../domain/found-value.ts';
import type { Login, StoreOptions } from '../domain/options.ts';
import { SecretStoreErrors } from '../errors.ts';
import { type Exchange, membersOf, rejection } from './exchange.ts';
import type { OpenStore } from './stores.ts';

const MAX_LOGINS = 1000;
/** A token is replaced before it expires, and at the latest after this time. */
const MAX_TOKEN_MS = 3_600_000;
const USED_SHARE = 0.8;

interface StoredToken {
  token: string;
  until: number;
}

/** Reads the KV engine of a HashiCorp Vault or OpenBao. Tokens of AppRole logins are cached in memory while they are valid. */
export class VaultReader {
  readonly #exchange: Exchange;
  readonly #tokens = new BoundedMap<string, StoredToken>(MAX_LOGINS);

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  async read(store: OpenStore, path: string): Promise<Found> {
    const first = await this.#get(store, path, await this.#tokenOf(store));
    // A Vault may have revoked the token of an earlier login.
    const is_outdated = first.status === 403 && this.#tokens.get(store.key) !== undefined;
    if (is_outdated) this.#tokens.delete(store.key);
    const { status, json } = is_outdated ? await this.#get(store, path, await this.#tokenOf(store)) : first;
    if (status === 404) throw SecretStoreErrors.noValue(`${store.label} has nothing at ${path}`);
    if (status >= 400) throw rejection(store.label, `answered ${status} to the request for ${path}`);
    const data = membersOf(json.data);
    return store.options.kv_version === 1 ? data : membersOf(data.data);
  }

  #get({ label, options }: OpenStore, path: string, token: string) {
    const { url, mount = '', kv_version } = options;
    const names = path.split('/').map(encodeURIComponent).join('/');
    return this.#exchange.send(label, {
      method: 'GET',
      url: `${url}/v1/${mount}/${kv_version === 1 ? '' : 'data/'}${names}`,
      headers: { ...headersOf(options), 'x-vault-token': token },
    });
  }

  async #tokenOf(store: OpenStore): Promise<string> {
    const { login } = store;
    if (login.by === 'token') return login.token;
    const { clock } = this.#exchange;
    const cached = this.#tokens.get(store.key);
    if (cached && cached.until > clock.monotonic()) return cached.token;
    const { token, lease_ms } = await this.#logIn(store, login as Login & { by: 'approle' });
    const until = clock.monotonic() + Math.min(lease_ms * USED_SHARE, MAX_TOKEN_MS);
    this.#tokens.set(store.key, { token, until });
    return token;
  }

  async #logIn({ label, options }: OpenStore, { role_id, secret_id }: Login & { by: 'approle' }) {
    const { status, json } = await this.#exchange.send(label, {
      method: 'POST',
      url: `${options.url}/v1/auth/approle/login`,
      headers: { ...headersOf(options), 'content-type': 'application/json' },
      body: JSON.stringify({ role_id, secret_id }),
    });
    if (status >= 400) throw rejection(label, `answered ${status} to the login`);
    const { client_token, lease_duration } = membersOf(json.auth);
    if (typeof client_token !== 'string' || !/^[\x21-\x7e]+$/.test(client_token))
      throw rejection(label, 'did not answer the login with a token');
    return { token: client_token, lease_ms: typeof lease_duration === 'number' ? lease_duration * 1000 : 0 };
  }
}

const headersOf = ({ namespace }: StoreOptions): Record<string, string> => ({
  'x-vault-request': 'true',
  ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
});
