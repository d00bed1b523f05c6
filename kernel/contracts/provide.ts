import { Log } from './log.ts';
import type { ExtensionPoint, Resolve, Token } from './tokens.ts';

/** Where a dependency comes from: a token, an extension point (all contributions, in boot order), or a function. */
type Source<T> = Token<T> | (T extends readonly (infer Item)[] ? ExtensionPoint<Item> : never) | ((use: Resolve) => T);

/** One source for each member of `T`; the members of optional dependencies may be left out. */
export type Sources<T> = { readonly [Name in keyof T]: Source<T[Name]> };

type Make<Deps, T> = (new (deps: Deps) => T) | ((deps: Deps) => T);

/**
 * A factory for a class or function that takes its dependencies as one object. The types come from its parameter:
 *
 *     plugin.bind(EventBus, provide(Bus, { database: Database, clock: Clock, log: childLog('bus') }));
 *
 * The dependencies are resolved when the service is first used.
 */
export function provide<Deps extends object, T>(make: Make<Deps, T>, sources: Sources<Deps>): (use: Resolve) => T {
  const factory = (use: Resolve): T => {
    const deps = Object.fromEntries(
      Object.entries<Source<unknown>>(sources).map(([name, source]) => [name, resolveSource(use, source)]),
    ) as Deps;
    return isClass(make) ? new make(deps) : make(deps);
  };
  // The registry's error about a circle of services shows this name.
  return Object.defineProperty(factory, 'name', { value: make.name });
}

/** Makes a logger whose lines name a component of the program. */
export const childLog =
  (component: string) =>
  (use: Resolve): Log =>
    use(Log).child({ part: component });

/** Makes a function that resolves the service when it is called, for services that need each other. */
export const deferred =
  <T>(token: Token<T>) =>
  (use: Resolve) =>
  (): T =>
    use(token);

function resolveSource(use: Resolve, source: Source<unknown>): unknown {
  if (typeof source === 'function') return source(use);
  return isPoint(source) ? use.all(source) : use(source);
}

const isPoint = (source: Token<unknown> | ExtensionPoint<unknown>): source is ExtensionPoint<unknown> =>
  'many' in source;

/** The `prototype` of a class cannot be replaced; that of a function can, and an arrow function has none. */
function isClass<Deps, T>(make: Make<Deps, T>): make is new (deps: Deps) => T {
  return Object.getOwnPropertyDescriptor(make, 'prototype')?.writable === false;
}
