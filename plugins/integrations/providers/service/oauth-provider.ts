import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type ClientAuth,
  ClientSecretPost,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Clock, Egress } from '../../../../kernel/contracts/index.ts';
import type { Identity, Provider, TokenOutcome, Tokens } from '../contract.ts';
import { readIdentity } from '../domain/identity.ts';
import { isRevokedError, redactMessage } from '../domain/token-response.ts';
import { validateIssuer } from '../domain/urls.ts';
import type { ProviderSettings } from '../generated/provider-settings.ts';
import { statusResponse, Exchange } from './exchange.ts';

const TIMEOUT_MS = 20_000;
const MAX_IDENTITY_BYTES = 1024 * 1024;
/** Ten years: what is longer is an error of the provider. */
const MAX_LIFETIME_SECS = 315_360_000;

export interface OAuthDeps {
  egress: Egress;
  clock: Pick<Clock, 'now'>;
}

/**
 * Builds the header of RFC 6749, section 2.3.1. It escapes only what a form escapes, because some providers do not
 * decode it; the library would also escape - and _.
 */
const basicAuth = (id: string, secret: string): ClientAuth => {
  const escaped = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  const pair = Buffer.from(`${escaped(id)}:${escaped(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${pair}`);
};

/**
 * A provider that is described by its settings. oauth4webapi builds the requests and parses the answers; the egress
 * client sends them.
 */
export class OAuthProvider implements Provider {
  readonly settings: ProviderSettings;
  readonly #deps: OAuthDeps;
  readonly #server: AuthorizationServer;
  readonly #client: { client_id: string };
  readonly #auth: ClientAuth;

  constructor(settings: ProviderSettings, deps: OAuthDeps) {
    this.settings = settings;
    this.#deps = deps;
    const { client_id, client_secret, token_endpoint_auth, issuer, authorize_url, token_url, revoke_url } = settings;
    this.#client = { client_id };
    this.#auth = token_endpoint_auth === 'post' ? ClientSecretPost(client_secret) : basicAuth(client_id, client_secret);
    this.#server = {
      issuer: issuer ?? new URL(authorize_url).origin,
      authorization_endpoint: authorize_url,
      token_endpoint: token_url,
      ...(revoke_url === undefined ? {} : { revocation_endpoint: revoke_url }),
    };
  }

  get view() {
    const { name, title, docs_url, scopes, capabilities, revoke_url, assumed_lifetime_secs } = this.settings;
    return {
      name,
      title: title ?? name,
      scopes,
      capabilities,
      ends_grants: revoke_url !== undefined,
      docs_url,
      assumed_lifetime_secs,
    };
  }

  get capabilities() {
    return this.settings.capabilities;
  }

  get assumed_lifetime_ms(): number | undefined {
    const { assumed_lifetime_secs } = this.settings;
    return assumed_lifetime_secs === undefined ? undefined : assumed_lifetime_secs * 1000;
  }

  get ends_grants(): boolean {
    return this.settings.revoke_url !== undefined;
  }

  authorizeUrl({ state, code_challenge, redirect_uri }: Parameters<Provider['authorizeUrl']>[0]): string {
    const { authorize_url, client_id, scopes } = this.settings;
    const url = new URL(authorize_url);
    const params = {
      response_type: 'code',
      client_id,
      redirect_uri,
      state,
      code_challenge,
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
    return url.href;
  }

  validateIssuer(iss: string): string | undefined {
    return validateIssuer(iss, this.settings);
  }

  exchange({ code, state, redirect_uri, verifier }: Parameters<Provider['exchange']>[0]): Promise<TokenOutcome> {
    // The caller has checked the sender and the state of the answer.
    const answer = validateAuthResponse(this.#server, this.#client, new URLSearchParams({ code, state }), state);
    return this.#present(this.#exchange(), [code, verifier], async (options) =>
      processAuthorizationCodeResponse(
        this.#server,
        this.#client,
        await authorizationCodeGrantRequest(
          this.#server,
          this.#client,
          this.#auth,
          answer,
          redirect_uri,
          verifier,
          options,
        ),
      ),
    );
  }

  renew(refresh_token: string, before?: () => void): Promise<TokenOutcome> {
    const exchange = this.#exchange(before);
    return this.#present(exchange, [refresh_token], async (options) =>
      processRefreshTokenResponse(
        this.#server,
        this.#client,
        await refreshTokenGrantRequest(this.#server, this.#client, this.#auth, refresh_token, options),
      ),
    );
  }

  async identify(access_token: string): Promise<Identity> {
    const { url, ...pointers } = this.settings.identity;
    const exchange = this.#exchange();
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json' };
    const answer = await exchange.send({ method: 'GET', url, headers, max_bytes: MAX_IDENTITY_BYTES });
    if (answer === undefined) return { error: exchange.why, revoked: false };
    const { status, body } = answer;
    if (status !== 200) return { error: `its identity endpoint answered ${status}`, revoked: status === 401 };
    const identity = readIdentity(body, pointers);
    return 'error' in identity ? { ...identity, revoked: false } : identity;
  }

  /** The refresh token goes first, because revoking it ends the whole grant. */
  async revoke({ access_token, refresh_token }: Pick<Tokens, 'access_token' | 'refresh_token'>) {
    if (this.settings.revoke_url === undefined) return 'the provider has no revoke_url';
    const refresh_tokens = refresh_token === undefined ? [] : [{ token: refresh_token, hint: 'refresh_token' }];
    for (const { token, hint } of [...refresh_tokens, { token: access_token, hint: 'access_token' }]) {
      const why = await this.#revokeToken(token, hint);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  async #revokeToken(token: string, token_type_hint: string): Promise<string | undefined> {
    const exchange = this.#exchange();
    const options = { ...exchange.options(statusResponse), additionalParameters: { token_type_hint } };
    try {
      const { status } = await revocationRequest(this.#server, this.#client, this.#auth, token, options);
      return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
    } catch (error) {
      if (!exchange.hasFailed) throw error;
      return exchange.why;
    }
  }

  #exchange(before?: () => void): Exchange {
    return new Exchange(this.#deps, TIMEOUT_MS, before);
  }

  async #present(
    exchange: Exchange,
    secrets: readonly string[],
    send: (options: ReturnType<Exchange['options']>) => Promise<TokenEndpointResponse>,
  ): Promise<TokenOutcome> {
    try {
      const answer = await send(exchange.options());
      return { outcome: 'granted', tokens: toTokens(answer) };
    } catch (error) {
      if (exchange.hasFailed) return exchange.failure();
      if (error instanceof ResponseBodyError) return toRejection(error, [...secrets, this.settings.client_secret]);
      // An answer that the library rejects cannot be used.
      return { outcome: 'unknown', why: 'its response has no usable tokens' };
    }
  }
}

function toRejection({ error, error_description }: ResponseBodyError, secrets: readonly string[]): TokenOutcome {
  const detail = redactMessage([error, error_description].filter((text) => text !== undefined).join(': '), secrets);
  return { outcome: 'refused', revoked: isRevokedError(error), why: `it answered ${detail}` };
}

function toTokens({ access_token, refresh_token, expires_in, scope }: TokenEndpointResponse): Tokens {
  return {
    access_token,
    refresh_token,
    lifetime_ms: expires_in === undefined ? undefined : Math.min(expires_in, MAX_LIFETIME_SECS) * 1000,
    scopes: scope?.split(/\s+/).filter((one) => one !== ''),
  };
}
