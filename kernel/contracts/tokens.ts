/**
 * A token names a service that one plugin binds and others use. Tokens are values and never classes, so that two
 * plugins can share an interface without importing each other's code.
 */
export interface Token<T> {
  readonly name: string;
  /** Carries the type only; never set. */
  readonly type?: T;
}

/** Makes a token. `name` has the form `<plugin>.<Service>` and must be unique in the process. */
export function token<T>(name: string): Token<T> {
  return Object.freeze({ name });
}

/** Resolves a bound service. It is passed to factories only. */
export interface Resolve {
  <T>(token: Token<T>): T;
  /** Returns every contribution to a point, in boot order. */
  all<T>(point: ExtensionPoint<T>): readonly T[];
}

/**
 * Replaces the service that a plugin binds to the token, for tests that control the time or stand in for a service. `own`
 * makes the original service, so that a replacement can wrap it.
 */
export type Replacement = readonly [token: Token<unknown>, make: (use: Resolve, makeOriginal: () => never) => unknown];

/** A typed list to which plugins contribute until the registry is sealed: routes, verbs, workflow kinds… */
export interface ExtensionPoint<T> {
  readonly name: string;
  /** Distinguishes a point from a token. */
  readonly many: true;
  /** Returns what is wrong with a contribution, if anything. Called when the registry is sealed. */
  readonly check?: (contribution: T) => string | undefined;
  /** Two contributions must not have the same key; the error names both plugins. */
  readonly key?: (contribution: T) => string;
  /** Set on the former name of a point: the point that gets its contributions, and what they become there. */
  readonly moved?: { readonly to: { readonly name: string }; readonly convert: (contribution: T) => unknown };
  readonly type?: T;
}

export function extensionPoint<T>(
  name: string,
  rules: { key?: (contribution: T) => string; check?: (contribution: T) => string | undefined } = {},
): ExtensionPoint<T> {
  return Object.freeze({ name, many: true, ...rules });
}

/**
 * The former name of an extension point, which plugins may use for one more version. Contributions to it are converted and
 * added to the point that replaces it, and the start of the process logs a warning that names both.
 */
export function movedPoint<Old, New>(
  name: string,
  to: ExtensionPoint<New>,
  convert: (contribution: Old) => New,
): ExtensionPoint<Old> {
  return Object.freeze({ name, many: true, moved: { to, convert } });
}
