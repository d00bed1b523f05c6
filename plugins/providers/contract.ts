import { token } from '../../kernel/contracts/index.ts';
import type { ProviderView } from './generated/provider.ts';

export { CALLBACK_PATH } from './contract/callback-path.ts';

/** What a provider does with refresh tokens. */
export interface Capabilities {
  /** A successful renewal makes the old refresh token invalid. */
  rotates_refresh_token: boolean;
  /** A refresh token that was replaced already revokes, when presented, everything that came from the grant. */
  reuse_revokes_family: boolean;
}

/** The tokens of one answer. They are never logged and shown nowhere. */
export interface Tokens {
  access_token: string;
  /** Absent: the grant cannot be renewed, or the one presented stays good. */
  refresh_token?: string;
  /** For how long the access token is good, as the provider says; absent when it does not say. */
  lifetime_ms?: number;
  /** The scopes granted, when the answer names them. */
  scopes?: readonly string[];
}

/**
 * What became of presenting a code or a refresh token.
 * - `granted`: new tokens came
 * - `refused`: a definite no. `gone`: the grant itself; otherwise the settings of the client are wrong
 * - `later`: the provider put it off without deciding
 * - `unknown`: it was sent and no usable answer came; it may have been taken
 * - `unsent`: nothing left this machine
 * `why` is for people and holds nothing secret.
 */
export type TokenOutcome =
  | { outcome: 'granted'; tokens: Tokens }
  | { outcome: 'refused'; gone: boolean; why: string }
  | { outcome: 'later'; after_ms?: number; why: string }
  | { outcome: 'unknown'; why: string }
  | { outcome: 'unsent'; why: string };

/** Whose token it is, or why nobody can tell. `gone`: the provider does not accept the token. */
export type Identified = { id: string; label: string } | { fault: string; gone: boolean };

/** One system whose accounts can be connected. No call throws because of the far end. */
export interface Provider {
  readonly view: ProviderView;
  readonly capabilities: Capabilities;
  /** The lifetime of access tokens of which the provider does not say one. */
  readonly assumed_lifetime_ms: number | undefined;
  /** Removing an account can also end its grant there. */
  readonly ends_grants: boolean;
  /** Where a person grants access. */
  authorizeUrl(request: { state: string; code_challenge: string; redirect_uri: string }): string;
  /** Why `iss` of an answer is not this provider's; undefined when it is. */
  issuerFault(iss: string): string | undefined;
  /** Exchanges the code of an answer for tokens. */
  exchange(answer: { code: string; state: string; redirect_uri: string; verifier: string }): Promise<TokenOutcome>;
  /** Presents a refresh token, once. `before` is called before its first byte leaves: what it throws keeps it here. */
  renew(refresh_token: string, before?: () => void): Promise<TokenOutcome>;
  identify(access_token: string): Promise<Identified>;
  /** Ends the grant. Answers why it may still stand; undefined when it is ended. */
  revoke(tokens: Pick<Tokens, 'access_token' | 'refresh_token'>): Promise<string | undefined>;
}

export interface Providers {
  list(): readonly ProviderView[];
  find(name: string): Provider | undefined;
  /** Where providers send people back to: one for the deployment. Undefined when no provider is configured. */
  redirectUri(): string | undefined;
}

export const Providers = token<Providers>('providers.Providers');

/** A verifier of PKCE, and the challenge made of it (S256). */
export { pkce } from './contract/pkce.ts';
