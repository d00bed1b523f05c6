/**
 * A token names a service that a plugin binds and others use. Tokens are values, never classes, so that
 * two plugins can agree on an interface without importing each other's code.
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

/** Resolves a bound service. Only handed to factories; nothing else may look services up. */
export interface Resolve {
  <T>(token: Token<T>): T;
  /** Every contribution to a point, in boot order. Empty when there is none. */
  all<T>(point: ExtensionPoint<T>): readonly T[];
}

/** A typed, closed list to which plugins contribute: routes, verbs, workflow kinds… */
export interface ExtensionPoint<T> {
  readonly name: string;
  /** Says what is wrong with a contribution, or nothing. Run when the registry is sealed. */
  readonly check?: (contribution: T) => string | undefined;
  /** Two contributions with one key are refused when the registry is sealed, naming both plugins. */
  readonly key?: (contribution: T) => string;
  readonly type?: T;
}

export function extensionPoint<T>(
  name: string,
  rules: { key?: (contribution: T) => string; check?: (contribution: T) => string | undefined } = {},
): ExtensionPoint<T> {
  return Object.freeze({ name, ...rules });
}
