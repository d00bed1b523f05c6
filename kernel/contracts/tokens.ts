/**
 * A token names a service that one plugin binds and others use. Tokens are values and never classes, so that two
 * plugins can share an interface without importing each other's code.
 */
export interface Token<T> {
  readonly name: string;
  /** Carries the type only; never set. */
  readonly type?: T;
}

/** Makes a token. `name` is `<plugin>.<Service>` and must be unique in the process. */
export function token<T>(name: string): Token<T> {
  return Object.freeze({ name });
}

/** Resolves a bound service. Only factories get it. */
export interface Resolve {
  <T>(token: Token<T>): T;
  /** Every contribution to a point, in boot order. Empty when there is none. */
  all<T>(point: ExtensionPoint<T>): readonly T[];
}

/**
 * A service that wins over what is bound to the token: for tests that own the time or stand in for a service.
 * `own` makes what it replaces, so that a replacement can wrap it.
 */
export type Replacement = readonly [token: Token<unknown>, make: (use: Resolve, own: () => never) => unknown];

/** A typed, closed list to which plugins contribute: routes, verbs, workflow kinds… */
export interface ExtensionPoint<T> {
  readonly name: string;
  /** Answers what is wrong with a contribution, or nothing. Called when the registry is sealed. */
  readonly check?: (contribution: T) => string | undefined;
  /** Two contributions with the same key are refused when the registry is sealed; the error names both plugins. */
  readonly key?: (contribution: T) => string;
  readonly type?: T;
}

export function extensionPoint<T>(
  name: string,
  rules: { key?: (contribution: T) => string; check?: (contribution: T) => string | undefined } = {},
): ExtensionPoint<T> {
  return Object.freeze({ name, ...rules });
}
