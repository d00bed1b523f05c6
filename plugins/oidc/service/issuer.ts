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
import { type Clock, type Egress, isServiceError } from '../../../kernel/contracts/index.ts';
import type { Claims } from '../domain/claims.ts';
import type { OidcSettings } from '../domain/read-settings.ts';
import { metadataFault } from '../domain/metadata.ts';
import type { Way } from '../domain/way.ts';
import { overEgress } from './egress-fetch.ts';

/** Metadata of an issuer changes rarely, and its keys are asked for again when one is not known. */
const FRESH_MS = 3_600_000;
/** Clocks of two machines differ. */
const TOLERANCE_S = 60;

/** Who came back, or why nobody is let in: `denied` when the person or the issuer said no. */
export type Identified = { subject: string; claims: Claims } | { fault: string; denied: boolean };

export interface IssuerParts {
  settings: OidcSettings;
  egress: Egress;
  clock: Pick<Clock, 'monotonic'>;
}

/** The issuer as a client sees it. oauth4webapi makes the requests and checks the answers. */
export class Issuer {
  readonly #settings: OidcSettings;
  readonly #parts: IssuerParts;
  #known: { server: AuthorizationServer; fresh_until: number } | undefined;
  #asking: Promise<AuthorizationServer> | undefined;

  constructor(parts: IssuerParts) {
    this.#settings = parts.settings;
    this.#parts = parts;
  }

  get title(): string {
    return this.#settings.issuer.host;
  }

  /** Where the person signs in; or why the issuer cannot be used. */
  authorizeUrl(
    { state, nonce }: Way,
    challenge: string,
    redirect_uri: string,
  ): Promise<{ url: string } | { fault: string }> {
    return this.#attempt(async () => {
      const server = await this.#server();
      const url = new URL(server.authorization_endpoint!);
      const { client_id, scopes: scope } = this.#settings;
      const own = { response_type: 'code', client_id, redirect_uri, scope, state, nonce };
      const all = { ...own, code_challenge: challenge, code_challenge_method: 'S256' };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return { url: url.href };
    });
  }

  /** Takes what the person brought back. */
  identify(answer: URLSearchParams, way: Way, redirect_uri: string): Promise<Identified> {
    return this.#attempt(async () => this.#identify(await this.#server(), answer, way, redirect_uri));
  }

  /** Asks for what it says of itself. */
  async check(): Promise<{ ok: boolean; says: string }> {
    // What is known stays good for people who sign in meanwhile.
    const found = await this.#attempt(async () => ({ issuer: (await this.#ask()).issuer }));
    return 'fault' in found ? { ok: false, says: found.fault } : { ok: true, says: `${found.issuer} answers` };
  }

  async #identify(server: AuthorizationServer, answer: URLSearchParams, way: Way, redirect_uri: string) {
    const { client_id, client_secret } = this.#settings;
    const client = { client_id, [clockTolerance]: TOLERANCE_S };
    const options = this.#options();
    const params = validateAuthResponse(server, client, answer, way.state);
    const auth = authOf(server, client_secret);
    const sent = authorizationCodeGrantRequest(server, client, auth, params, redirect_uri, way.verifier, options);
    const response = await sent;
    const expected = { expectedNonce: way.nonce, requireIdToken: true };
    const tokens = await processAuthorizationCodeResponse(server, client, response, expected);
    await validateApplicationLevelSignature(server, response, options);
    const claims = getValidatedIdTokenClaims(tokens)!;
    if (server.userinfo_endpoint === undefined) return { subject: claims.sub, claims };
    const told = await userInfoRequest(server, client, tokens.access_token, options);
    const more = await processUserInfoResponse(server, client, claims.sub, told);
    // What was signed wins.
    return { subject: claims.sub, claims: { ...more, ...claims } };
  }

  /** However many people come at once, it is asked once. */
  async #server(): Promise<AuthorizationServer> {
    if (this.#known && this.#known.fresh_until > this.#parts.clock.monotonic()) return this.#known.server;
    return this.#ask();
  }

  #ask(): Promise<AuthorizationServer> {
    this.#asking ??= this.#discover().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #discover(): Promise<AuthorizationServer> {
    const { issuer } = this.#settings;
    const response = await discoveryRequest(issuer, { algorithm: 'oidc', ...this.#options() });
    const server = await processDiscoveryResponse(issuer, response);
    const fault = metadataFault(server);
    if (fault !== undefined) throw new Unusable(fault);
    this.#known = { server, fresh_until: this.#parts.clock.monotonic() + FRESH_MS };
    return server;
  }

  #options() {
    return overEgress(this.#parts.egress, this.#settings.issuer.protocol === 'http:');
  }

  /** Nothing that the far end does is an error of ours. Texts of the library may quote the answer: its codes do not. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | { fault: string; denied: boolean }> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AuthorizationResponseError) return { fault: deniedBy(error), denied: true };
      if (error instanceof Unusable) return { fault: `the issuer cannot be used: ${error.message}`, denied: false };
      if (isServiceError(error)) return { fault: `${error.message} → ${error.next}`, denied: false };
      if (error instanceof ResponseBodyError)
        return { fault: `the issuer answers ${plain(error.error)}`, denied: false };
      const { code } = error as { code?: unknown };
      const ofLibrary = typeof code === 'string' && code.startsWith('OAUTH_');
      // A key that cannot be read is no OAuth error.
      if (!ofLibrary && !(error instanceof DOMException)) throw error;
      return { fault: `an answer of the issuer is not in order (${String(code)})`, denied: false };
    }
  }
}

class Unusable extends Error {}

const plain = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);

const deniedBy = ({ error, error_description }: AuthorizationResponseError): string =>
  plain([error, error_description].filter((text) => text !== undefined).join(': '));

/** The way that the issuer names; without one, the standard says the header. */
function authOf(
  { token_endpoint_auth_methods_supported: known = [] }: AuthorizationServer,
  secret: string,
): ClientAuth {
  const inBody = known.includes('client_secret_post') && !known.includes('client_secret_basic');
  return inBody ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}
