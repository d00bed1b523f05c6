import { token } from '../../../kernel/contracts/index.ts';
import type { AssertionAlgorithm } from './contract/assertion.ts';
import type { ProviderView } from './generated/provider.ts';

export { CALLBACK_PATH } from './contract/callback-path.ts';
export { type AssertionAlgorithm, readAssertionKey } from './contract/assertion.ts';

/** How a provider handles refresh tokens. */
export interface Capabilities {
  /** True when a successful renewal invalidates the old refresh token. */
  rotates_refresh_token: boolean;
  /** Whether the provider revokes the entire grant if a replaced refresh token is used. */
  reuse_revokes_family: boolean;
}

/** The tokens of one answer. They are never logged and shown nowhere. */
export interface Tokens {
  access_token: string;
  /** Undefined when the grant cannot be renewed, or when the presented token stays valid. */
  refresh_token?: string;
  /** How long the access token is valid; undefined when the provider does not say. */
  lifetime_ms?: number;
  /** The scopes granted, when the answer names them. */
  scopes?: readonly string[];
}

/**
 * What became of presenting a code or a refresh token.
 * - `granted`: new tokens came
 * - `refused`: a definite no. `revoked`: of the grant itself; otherwise the settings of the client are wrong
 * - `later`: the provider put it off without deciding
 * - `unknown`: it was sent and no usable answer came; it may have been taken
 * - `unsent`: nothing was sent
 * `why` is for people and holds nothing secret.
 */
export type TokenOutcome =
  | { outcome: 'granted'; tokens: Tokens }
  | { outcome: 'refused'; revoked: boolean; why: string }
  | { outcome: 'later'; after_ms?: number; why: string }
  | { outcome: 'unknown'; why: string }
  | { outcome: 'unsent'; why: string };

/** How an account gets its tokens. Only `authorization_code` needs a person. */
export type Grant = 'authorization_code' | 'client_credentials' | 'jwt_bearer';

/**
 * The public part of a client of an account's own, which gets tokens without a person: by its secret (RFC 6749, section 4.4),
 * or by assertions that its key signs (RFC 7523).
 */
export type ClientGrant =
  | { grant: 'client_credentials'; client_id: string; scopes: readonly string[]; audience?: string }
  | {
      grant: 'jwt_bearer';
      /** The `iss` of its assertions. */
      client_id: string;
      scopes: readonly string[];
      /** The `aud`; by default the token endpoint. */
      audience?: string;
      /** The `sub`: whom the token acts as; by default the client itself. */
      subject?: string;
      key_id?: string;
      algorithm: AssertionAlgorithm;
      /** How long an assertion is valid. */
      lifetime_secs: number;
    };

/** The account that a token belongs to, or why it cannot be determined. */
export type Identity = { id: string; label: string } | { error: string; revoked: boolean };

/** What became of the request that tests a token. Nothing of its response is in it. */
export type TestOutcome =
  | { result: 'answered'; status: number }
  | { result: 'unreachable'; why: string }
  /** The settings name no address for it. */
  | { result: 'undeclared' };

/** One system whose accounts can be connected. Its calls do not throw when the provider fails. */
export interface Provider {
  readonly view: ProviderView;
  /** How accounts of this provider get their tokens. */
  readonly grants: readonly Grant[];
  readonly capabilities: Capabilities;
  /** The lifetime of access tokens when the provider does not state one. */
  readonly assumed_lifetime_ms: number | undefined;
  /** Removing an account can also end its grant there. */
  readonly ends_grants: boolean;
  /** Returns the address at which a person grants access. Only for a provider with the grant `authorization_code`. */
  authorizeUrl(request: { state: string; code_challenge: string; redirect_uri: string }): string;
  /** Explains why `iss` of an answer does not belong to this provider; undefined when it does. */
  validateIssuer(iss: string): string | undefined;
  /** Exchanges the code of an answer for tokens. */
  exchange(answer: { code: string; state: string; redirect_uri: string; verifier: string }): Promise<TokenOutcome>;
  /**
   * Presents a refresh token once. `before` is called before the first byte is sent; when it throws, nothing is sent.
   */
  renew(refresh_token: string, before?: () => void): Promise<TokenOutcome>;
  /**
   * Asks for a token with the client of an account, without a person. `secret` is the client's secret, or its private key.
   * `before` as for `renew`.
   */
  requestToken(client: ClientGrant, secret: string, before?: () => void): Promise<TokenOutcome>;
  identify(access_token: string): Promise<Identity>;
  /** Sends the request that the settings declare for it, with the token. */
  test(access_token: string): Promise<TestOutcome>;
  /** Ends the grant. Returns the reason when it may still exist; undefined when it has ended. */
  revoke(tokens: Pick<Tokens, 'access_token' | 'refresh_token'>): Promise<string | undefined>;
}

export interface Providers {
  list(): readonly ProviderView[];
  find(name: string): Provider | undefined;
  /** The address to which all providers send people back; undefined when no provider is configured. */
  redirectUri(): string | undefined;
}

export const Providers = token<Providers>('providers.Providers');

/** Creates a verifier of PKCE and its challenge (S256). */
export { createPkce } from './contract/pkce.ts';
