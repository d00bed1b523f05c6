import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  discoveryRequest,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  ResponseBodyError,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import { type Clock, type Egress, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { Claims } from '../domain/claims.ts';
import type { OidcSettings } from '../domain/read-settings.ts';
import { validateMetadata } from '../domain/metadata.ts';
import type { AuthorizationRequest } from '../domain/authorization-request.ts';
import { fetchOptions } from './egress-fetch.ts';

/** The metadata of an issuer rarely changes. Its keys are fetched again when one is unknown. */
const METADATA_TTL_MS = 3_600_000;
/** The tolerated difference between the clocks of the two machines. */
const TOLERANCE_S = 60;

/** Who signed in, or why nobody did. `denied` means that the person or the issuer refused. */
export type IdentifyResult = { subject: string; claims: Claims } | { error: string; denied: boolean };

export interface IssuerOptions {
  settings: OidcSettings;
  egress: Egress;
  clock: Pick<Clock, 'monotonic'>;
}

/** A client of the issuer. oauth4webapi makes the requests and validates the answers. */
export class Issuer {
  readonly #settings: OidcSettings;
  readonly #options: IssuerOptions;
  #cached: { server: AuthorizationServer; expires_at: number } | undefined;
  #pending_discovery: Promise<AuthorizationServer> | undefined;

  constructor(options: IssuerOptions) {
    this.#settings = options.settings;
    this.#options = options;
  }

  get title(): string {
    return this.#settings.issuer.host;
  }

  /** Returns the address at which the person signs in, or why the issuer cannot be used. */
  authorizeUrl(
    { state, nonce }: AuthorizationRequest,
    challenge: string,
    redirect_uri: string,
  ): Promise<{ url: string } | { error: string }> {
    return this.#attempt(async () => {
      const server = await this.#server();
      const url = new URL(server.authorization_endpoint!);
      const { client_id, scopes: scope } = this.#settings;
      const params = { response_type: 'code', client_id, redirect_uri, scope, state, nonce };
      const all = { ...params, code_challenge: challenge, code_challenge_method: 'S256' };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return { url: url.href };
    });
  }

  /** Validates the parameters with which the person came back, and identifies the person. */
  identify(answer: URLSearchParams, request: AuthorizationRequest, redirect_uri: string): Promise<IdentifyResult> {
    return this.#attempt(async () => this.#identify(await this.#server(), answer, request, redirect_uri));
  }

  /** Fetches the issuer's metadata, and reports whether it can be used. */
  async check(): Promise<{ ok: boolean; says: string }> {
    // The cached metadata stays valid for people who sign in meanwhile.
    const checked = await this.#attempt(async () => ({ issuer: (await this.#discoverOnce()).issuer }));
    return 'error' in checked ? { ok: false, says: checked.error } : { ok: true, says: `${checked.issuer} answers` };
  }

  async #identify(
    server: AuthorizationServer,
    answer: URLSearchParams,
    request: AuthorizationRequest,
    redirect_uri: string,
  ) {
    const { client_id, client_secret } = this.#settings;
    const client = { client_id, [clockTolerance]: TOLERANCE_S };
    const options = this.#requestOptions();
    const params = validateAuthResponse(server, client, answer, request.state);
    const auth = authOf(server, client_secret);
    const sent = authorizationCodeGrantRequest(server, client, auth, params, redirect_uri, request.verifier, options);
    const response = await sent;
    const expected = { expectedNonce: request.nonce, requireIdToken: true };
    const tokens = await processAuthorizationCodeResponse(server, client, response, expected);
    await validateApplicationLevelSignature(server, response, options);
    const claims = getValidatedIdTokenClaims(tokens)!;
    if (server.userinfo_endpoint === undefined) return { subject: claims.sub, claims };
    const user_info = await userInfoRequest(server, client, tokens.access_token, options);
    const more = await processUserInfoResponse(server, client, claims.sub, user_info);
    // Signed claims take precedence.
    return { subject: claims.sub, claims: { ...more, ...claims } };
  }

  /** Returns the cached metadata or fetches it. Concurrent callers share one request. */
  async #server(): Promise<AuthorizationServer> {
    if (this.#cached && this.#cached.expires_at > this.#options.clock.monotonic()) return this.#cached.server;
    return this.#discoverOnce();
  }

  #discoverOnce(): Promise<AuthorizationServer> {
    this.#pending_discovery ??= this.#discover().finally(() => {
      this.#pending_discovery = undefined;
    });
    return this.#pending_discovery;
  }

  async #discover(): Promise<AuthorizationServer> {
    const { issuer } = this.#settings;
    const response = await discoveryRequest(issuer, { algorithm: 'oidc', ...this.#requestOptions() });
    const server = await processDiscoveryResponse(issuer, response);
    const invalid = validateMetadata(server);
    if (invalid !== undefined) throw new Unusable(invalid);
    this.#cached = { server, expires_at: this.#options.clock.monotonic() + METADATA_TTL_MS };
    return server;
  }

  #requestOptions() {
    return fetchOptions(this.#options.egress, this.#settings.issuer.protocol === 'http:');
  }

  /**
   * Turns every failure of the issuer into a result. Messages of the library may quote the answer, so only its codes are used.
   */
  async #attempt<T>(work: () => Promise<T>): Promise<T | { error: string; denied: boolean }> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AuthorizationResponseError) return { error: deniedBy(error), denied: true };
      if (error instanceof Unusable) return { error: `the issuer cannot be used: ${error.message}`, denied: false };
      if (isServiceError(error)) return { error: `${error.message} → ${error.next}`, denied: false };
      if (error instanceof ResponseBodyError)
        return { error: `the issuer answers ${printable(error.error)}`, denied: false };
      const { code } = error as { code?: unknown };
      const ofLibrary = typeof code === 'string' && code.startsWith('OAUTH_');
      // A key that cannot be imported fails with a DOMException.
      if (!ofLibrary && !(error instanceof DOMException)) throw error;
      return { error: `the issuer sent an invalid response (${String(code)})`, denied: false };
    }
  }
}

class Unusable extends Error {}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);

const deniedBy = ({ error, error_description }: AuthorizationResponseError): string =>
  printable([error, error_description].filter((text) => text !== undefined).join(': '));

/** Chooses how the client authenticates: as the issuer supports it, or else in the header, which is the standard's default. */
function authOf(
  { token_endpoint_auth_methods_supported: methods = [] }: AuthorizationServer,
  secret: string,
): ClientAuth {
  const inBody = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return inBody ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}
