import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type ClientAuth,
  clientCredentialsGrantRequest,
  ClientSecretPost,
  genericTokenEndpointRequest,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  ResponseBodyError,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Clock, Egress, Ids } from '../../../../kernel/contracts/index.ts';
import type { ClientGrant, Grant, Identity, Provider, TestOutcome, TokenOutcome, Tokens } from '../contract.ts';
import { readAssertionKey, signAssertion } from '../contract/assertion.ts';
import { readIdentity } from '../domain/identity.ts';
import { isRevokedError, redactMessage } from '../domain/token-response.ts';
import { type ConsentSettings, consentSettings, grantsOf } from '../domain/read-settings.ts';
import { validateIssuer } from '../domain/urls.ts';
import type { ProviderSettings } from '../generated/provider-settings.ts';
import { statusResponse, Exchange } from './exchange.ts';

const TIMEOUT_MS = 20_000;
const MAX_IDENTITY_BYTES = 1024 * 1024;
/** Only the status of a test counts. */
const MAX_TEST_BYTES = 1024;
/** Ten years: what is longer is an error of the provider. */
const MAX_LIFETIME_SECS = 315_360_000;

export interface OAuthDeps {
  egress: Egress;
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'next'>;
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Clocks differ, and some providers reject an assertion from the future. */
const CLOCK_SKEW_SECS = 10;

/**
 * Builds the header of RFC 6749, section 2.3.1. It escapes only what a form escapes, because some providers do not
 * decode it; the library would also escape - and _.
 */
const basicAuth = (id: string, secret: string): ClientAuth => {
  const pair = basicPair(id, secret);
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${pair}`);
};

const escapeForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

const basicPair = (id: string, secret: string): string =>
  Buffer.from(`${escapeForm(id)}:${escapeForm(secret)}`).toString('base64');

/** What a provider was sent of a secret, for messages that repeat the request. */
const echoes = (id: string, secret: string): string[] => [
  ...[secret, escapeForm(secret), encodeURIComponent(secret), basicPair(id, secret)],
  Buffer.from(`${id}:${secret}`).toString('base64'),
];

/** An assertion says who asks. Some providers reject a request that also has a `client_id`. */
const NOBODY: ClientAuth = () => undefined;

/**
 * A provider that is described by its settings. oauth4webapi builds the requests and parses the answers; the egress
 * client sends them.
 */
export class OAuthProvider implements Provider {
  readonly settings: ProviderSettings;
  readonly #deps: OAuthDeps;
  readonly #server: AuthorizationServer;
  /** Undefined when no person is sent there. */
  readonly #consent: ConsentSettings | undefined;

  constructor(settings: ProviderSettings, deps: OAuthDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#consent = consentSettings(settings);
    const { issuer, authorize_url, token_url, revoke_url } = settings;
    this.#server = {
      issuer: issuer ?? new URL(authorize_url ?? token_url).origin,
      ...(authorize_url === undefined ? {} : { authorization_endpoint: authorize_url }),
      token_endpoint: token_url,
      ...(revoke_url === undefined ? {} : { revocation_endpoint: revoke_url }),
    };
  }

  get view() {
    const { name, title, docs_url, scopes = [], capabilities, assumed_lifetime_secs } = this.settings;
    return {
      name,
      title: title ?? name,
      grants: [...this.grants],
      scopes,
      ...(this.#consent === undefined ? {} : { capabilities }),
      ends_grants: this.ends_grants,
      docs_url,
      assumed_lifetime_secs,
    };
  }

  get grants(): readonly Grant[] {
    return grantsOf(this.settings);
  }

  get capabilities() {
    return this.#people().capabilities;
  }

  get assumed_lifetime_ms(): number | undefined {
    const { assumed_lifetime_secs } = this.settings;
    return assumed_lifetime_secs === undefined ? undefined : assumed_lifetime_secs * 1000;
  }

  get ends_grants(): boolean {
    return this.#consent?.revoke_url !== undefined;
  }

  /** Callers check `grants` before they send a person there. */
  #people(): ConsentSettings {
    if (this.#consent === undefined)
      throw new Error(`the provider does not ask a person for consent: ${this.settings.name}`);
    return this.#consent;
  }

  /** The operator's client, which people's grants belong to. */
  get #client(): { client_id: string } {
    return { client_id: this.#people().client_id };
  }

  get #auth(): ClientAuth {
    const { client_id, client_secret } = this.#people();
    return this.#authOf(client_id, client_secret);
  }

  #authOf(client_id: string, client_secret: string): ClientAuth {
    return this.settings.token_endpoint_auth === 'post'
      ? ClientSecretPost(client_secret)
      : basicAuth(client_id, client_secret);
  }

  authorizeUrl({ state, code_challenge, redirect_uri }: Parameters<Provider['authorizeUrl']>[0]): string {
    const { authorize_url, client_id, scopes } = this.#people();
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
    return validateIssuer(iss, this.#people());
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

  async requestToken(client: ClientGrant, secret: string, before?: () => void): Promise<TokenOutcome> {
    const exchange = this.#exchange(before);
    const { client_id } = client;
    if (client.grant === 'client_credentials') {
      const parameters = new URLSearchParams();
      if (client.scopes.length > 0) parameters.set('scope', client.scopes.join(' '));
      if (client.audience !== undefined) parameters.set('audience', client.audience);
      return this.#present(exchange, echoes(client_id, secret), async (options) =>
        processClientCredentialsResponse(
          this.#server,
          { client_id },
          await clientCredentialsGrantRequest(
            this.#server,
            { client_id },
            this.#authOf(client_id, secret),
            parameters,
            options,
          ),
        ),
      );
    }
    const assertion = await this.#assertion(client, secret);
    if (assertion === undefined) return { outcome: 'unsent', why: 'the private key of the account cannot sign' };
    return this.#present(exchange, [assertion, ...assertion.split('.')], async (options) =>
      processGenericTokenEndpointResponse(
        this.#server,
        { client_id },
        await genericTokenEndpointRequest(this.#server, { client_id }, NOBODY, JWT_BEARER, { assertion }, options),
      ),
    );
  }

  /** A fresh assertion for each request, because providers accept one only once. Undefined when the key cannot sign. */
  async #assertion(client: Extract<ClientGrant, { grant: 'jwt_bearer' }>, pem: string): Promise<string | undefined> {
    const key = readAssertionKey(pem, client.algorithm);
    if ('error' in key) return undefined;
    const { client_id, subject = client_id, audience = this.settings.token_url, scopes, lifetime_secs } = client;
    const iat = Math.floor(this.#deps.clock.now() / 1000) - CLOCK_SKEW_SECS;
    return signAssertion(key, client.key_id, {
      iss: client_id,
      sub: subject,
      aud: audience,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      iat,
      exp: iat + lifetime_secs,
      jti: this.#deps.ids.next('jti'),
    });
  }

  async identify(access_token: string): Promise<Identity> {
    const { url, ...pointers } = this.#people().identity;
    const exchange = this.#exchange();
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json' };
    const answer = await exchange.send({ method: 'GET', url, headers, max_bytes: MAX_IDENTITY_BYTES });
    if (answer === undefined) return { error: exchange.why, revoked: false };
    const { status, body } = answer;
    if (status !== 200) return { error: `its identity endpoint answered ${status}`, revoked: status === 401 };
    const identity = readIdentity(body, pointers);
    return 'error' in identity ? { ...identity, revoked: false } : identity;
  }

  async test(access_token: string): Promise<TestOutcome> {
    const url = this.settings.test_url ?? this.settings.identity?.url;
    if (url === undefined) return { result: 'undeclared' };
    const exchange = this.#exchange();
    const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json' };
    const answer = await exchange.send({ method: 'GET', url, headers, max_bytes: MAX_TEST_BYTES, may_truncate: true });
    if (answer === undefined) return { result: 'unreachable', why: exchange.why };
    return { result: 'answered', status: answer.status };
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

  #clientEchoes(): string[] {
    return this.#consent === undefined ? [] : echoes(this.#consent.client_id, this.#consent.client_secret);
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
      if (error instanceof ResponseBodyError) return toRejection(error, [...secrets, ...this.#clientEchoes()]);
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
