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
import type { Clock, Egress } from '../../../kernel/contracts/index.ts';
import type { Identified, Provider, TokenOutcome, Tokens } from '../contract.ts';
import { identityOf } from '../domain/identity.ts';
import { isGone, told } from '../domain/token-answer.ts';
import { issuerFault } from '../domain/urls.ts';
import type { ProviderSettings } from '../generated/provider-settings.ts';
import { bareResponse, Exchange } from './exchange.ts';

const TIMEOUT_MS = 20_000;
const MAX_IDENTITY_BYTES = 1024 * 1024;
/** Ten years: what is longer is an error of the provider. */
const MAX_LIFETIME_SECS = 315_360_000;

export interface OAuthParts {
  egress: Egress;
  clock: Pick<Clock, 'now'>;
}

/**
 * The header of RFC 6749, 2.3.1. Only what a form escapes is escaped (the library also escapes - and _): of providers that
 * do not undo it, ordinary secrets are still understood.
 */
const basic = (id: string, secret: string): ClientAuth => {
  const escaped = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  const pair = Buffer.from(`${escaped(id)}:${escaped(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${pair}`);
};

/** A provider by its settings. oauth4webapi makes the requests and reads the answers; the egress client sends them. */
export class OAuthProvider implements Provider {
  readonly settings: ProviderSettings;
  readonly #parts: OAuthParts;
  readonly #server: AuthorizationServer;
  readonly #client: { client_id: string };
  readonly #auth: ClientAuth;

  constructor(settings: ProviderSettings, parts: OAuthParts) {
    this.settings = settings;
    this.#parts = parts;
    const { client_id, client_secret, token_endpoint_auth, issuer, authorize_url, token_url, revoke_url } = settings;
    this.#client = { client_id };
    this.#auth = token_endpoint_auth === 'post' ? ClientSecretPost(client_secret) : basic(client_id, client_secret);
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
      ...{ name, title: title ?? name, scopes, capabilities, ends_grants: revoke_url !== undefined },
      ...(docs_url === undefined ? {} : { docs_url }),
      ...(assumed_lifetime_secs === undefined ? {} : { assumed_lifetime_secs }),
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
    const own = {
      response_type: 'code',
      client_id,
      redirect_uri,
      state,
      code_challenge,
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
    if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
    return url.href;
  }

  issuerFault(iss: string): string | undefined {
    return issuerFault(iss, this.settings);
  }

  exchange({ code, state, redirect_uri, verifier }: Parameters<Provider['exchange']>[0]): Promise<TokenOutcome> {
    // Where it comes from and whose state it has is checked by whoever took the answer.
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

  async identify(access_token: string): Promise<Identified> {
    const { url, ...pointers } = this.settings.identity;
    const exchange = this.#exchange();
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json' };
    const answer = await exchange.send({ method: 'GET', url, headers, max_bytes: MAX_IDENTITY_BYTES });
    if (answer === undefined) return { fault: exchange.why, gone: false };
    const { status, body } = answer;
    if (status !== 200) return { fault: `its identity endpoint answered ${status}`, gone: status === 401 };
    const found = identityOf(body, pointers);
    return 'fault' in found ? { ...found, gone: false } : found;
  }

  /** The refresh token first: with it the whole grant ends. */
  async revoke({ access_token, refresh_token }: Pick<Tokens, 'access_token' | 'refresh_token'>) {
    if (this.settings.revoke_url === undefined) return 'the provider has no revoke_url';
    const given = refresh_token === undefined ? [] : [{ token: refresh_token, hint: 'refresh_token' }];
    for (const { token, hint } of [...given, { token: access_token, hint: 'access_token' }]) {
      const why = await this.#revokeOne(token, hint);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  async #revokeOne(token: string, token_type_hint: string): Promise<string | undefined> {
    const exchange = this.#exchange();
    const options = { ...exchange.options(bareResponse), additionalParameters: { token_type_hint } };
    try {
      const { status } = await revocationRequest(this.#server, this.#client, this.#auth, token, options);
      return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
    } catch (error) {
      if (!exchange.failed) throw error;
      return exchange.why;
    }
  }

  #exchange(before?: () => void): Exchange {
    return new Exchange(this.#parts, TIMEOUT_MS, before);
  }

  async #present(
    exchange: Exchange,
    secrets: readonly string[],
    send: (options: ReturnType<Exchange['options']>) => Promise<TokenEndpointResponse>,
  ): Promise<TokenOutcome> {
    try {
      const answer = await send(exchange.options());
      return { outcome: 'granted', tokens: tokensOf(answer) };
    } catch (error) {
      if (exchange.failed) return exchange.failure();
      if (error instanceof ResponseBodyError) return refusal(error, [...secrets, this.settings.client_secret]);
      // What the library does not accept is an answer that nobody can use.
      return { outcome: 'unknown', why: 'its answer has no usable tokens' };
    }
  }
}

function refusal({ error, error_description }: ResponseBodyError, secrets: readonly string[]): TokenOutcome {
  const said = told([error, error_description].filter((text) => text !== undefined).join(': '), secrets);
  return { outcome: 'refused', gone: isGone(error), why: `it answered ${said}` };
}

function tokensOf({ access_token, refresh_token, expires_in, scope }: TokenEndpointResponse): Tokens {
  return {
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(expires_in === undefined ? {} : { lifetime_ms: Math.min(expires_in, MAX_LIFETIME_SECS) * 1000 }),
    ...(scope === undefined ? {} : { scopes: scope.split(/\s+/).filter((one) => one !== '') }),
  };
}
