import 'reflect-metadata';
import { type DependencyContainer, instanceCachingFactory, container as root } from 'tsyringe';
import type { ExtensionPoint, Replacement, Resolve, Token } from '../contracts/index.ts';
import { RegistryErrors } from './errors.ts';

interface Contribution {
  plugin: string;
  /** The name that the plugin and its manifest use: the former one of a moved point. */
  declared: string;
  make: (use: Resolve) => unknown;
}

/**
 * The services and contributions of one kernel, and the only user of the DI container. It implements multi-bindings, ordering
 * and lifecycle itself: in tsyringe, registrations of a child hide the parent's lists, and resolving an empty list throws.
 */
export class Registry {
  readonly #container: DependencyContainer = root.createChildContainer();
  readonly #owners = new Map<string, string>();
  readonly #replacements = new Map<string, Replacement[1]>();
  readonly #points = new Map<string, Contribution[]>();
  readonly #collected = new Map<string, readonly unknown[]>();
  readonly contributed: { plugin: string; point: string; key: string | undefined; made: unknown }[] = [];
  /** What plugins contributed under the former name of a point. */
  readonly moved: { plugin: string; from: string; to: string }[] = [];
  readonly #resolving: string[] = [];
  #sealed = false;

  readonly use: Resolve = Object.assign(<T>(token: Token<T>): T => this.#resolve(token), {
    all: <T>(point: ExtensionPoint<T>): readonly T[] => this.#collect(point),
  });

  bind<T>(plugin: string, token: Token<T>, make: (use: Resolve) => T): void {
    this.#assertOpen(plugin, `binds ${token.name}`);
    const owner = this.#owners.get(token.name);
    if (owner !== undefined)
      throw RegistryErrors.registrationConflict(`${plugin} binds ${token.name}, which ${owner} has already bound`);
    this.#owners.set(token.name, plugin);
    const makeOriginal = () => make(this.use);
    const replacement = this.#replacements.get(token.name) as ((use: Resolve, makeOriginal: () => T) => T) | undefined;
    const useFactory = instanceCachingFactory(replacement ? () => replacement(this.use, makeOriginal) : makeOriginal);
    this.#container.register(token.name, { useFactory });
  }

  /** Binds a service that no manifest names; the plugin itself holds its token. */
  own<T>(plugin: string, make: (use: Resolve) => T): Token<T> {
    const token: Token<T> = { name: `${plugin}#${this.#owners.size}${make.name === '' ? '' : ` ${make.name}`}` };
    this.bind(plugin, token, make);
    return token;
  }

  /** Replaces what is bound to the token later. Works, too, when nobody binds it. */
  replace([token, make]: Replacement): void {
    this.#replacements.set(token.name, make);
  }

  contribute<T>(plugin: string, point: ExtensionPoint<T>, make: (use: Resolve) => T | readonly T[]): void {
    this.#assertOpen(plugin, `contributes to ${point.name}`);
    const { name } = point.moved?.to ?? point;
    const list = this.#points.get(name) ?? [];
    list.push({ plugin, declared: point.name, make: point.moved ? converted(point.moved.convert, make) : make });
    this.#points.set(name, list);
    if (point.moved) this.moved.push({ plugin, from: point.name, to: name });
  }

  /** Returns what a plugin has bound and contributed, for comparison with its manifest. */
  declared(plugin: string): { provides: string[]; contributes: string[] } {
    const provides = [...this.#owners]
      .filter(([name, owner]) => owner === plugin && !name.startsWith(`${plugin}#`))
      .map(([name]) => name);
    const own = [...this.#points.values()].flat().filter((contribution) => contribution.plugin === plugin);
    return { provides, contributes: [...new Set(own.map(({ declared }) => declared))] };
  }

  seal(): void {
    for (const name of this.#replacements.keys())
      if (!this.#owners.has(name)) this.bind('replace', { name }, () => unbound(name));
    this.#sealed = true;
  }

  #assertOpen(plugin: string, what: string): void {
    if (this.#sealed)
      throw RegistryErrors.registrationClosed(`${plugin} ${what} after registration ended; do it in register()`);
  }

  #resolve<T>(token: Token<T>): T {
    if (!this.#owners.has(token.name)) {
      const neededBy = this.#resolving.length > 0 ? `, which is needed by ${this.#resolving.join(' → ')}` : '';
      throw RegistryErrors.serviceUnbound(`no plugin provides ${token.name}${neededBy}`);
    }
    if (this.#resolving.includes(token.name))
      throw RegistryErrors.serviceCycle(
        `services depend on each other: ${[...this.#resolving, token.name].join(' → ')}`,
      );
    this.#resolving.push(token.name);
    try {
      return this.#container.resolve<T>(token.name);
    } finally {
      this.#resolving.pop();
    }
  }

  #collect<T>(point: ExtensionPoint<T>): readonly T[] {
    const cached = this.#collected.get(point.name) as readonly T[] | undefined;
    if (cached) return cached;
    const owners = new Map<string, string>();
    const collected = (this.#points.get(point.name) ?? []).flatMap(({ plugin, make }) => {
      const made = make(this.use) as T | readonly T[];
      const list: readonly T[] = Array.isArray(made) ? made : [made as T];
      for (const made of list) {
        checkContribution(point, plugin, made, owners);
        this.contributed.push({ plugin, point: point.name, key: point.key?.(made), made });
      }
      return list;
    });
    this.#collected.set(point.name, collected);
    return collected;
  }
}

/** What a plugin makes for the former name of a point, as the point that replaces it takes it. */
const converted =
  <T>(convert: (contribution: T) => unknown, make: (use: Resolve) => T | readonly T[]) =>
  (use: Resolve): unknown => {
    const made = make(use);
    return Array.isArray(made) ? made.map(convert) : convert(made as T);
  };

function unbound(name: string): never {
  throw RegistryErrors.serviceUnbound(`no plugin provides ${name}, so it cannot be replaced`);
}

function checkContribution<T>(point: ExtensionPoint<T>, plugin: string, contribution: T, owners: Map<string, string>) {
  const problem = point.check?.(contribution);
  if (problem) throw RegistryErrors.contributionInvalid(`${plugin} contributes to ${point.name}: ${problem}`);
  const key = point.key?.(contribution);
  if (key === undefined) return;
  const owner = owners.get(key);
  if (owner !== undefined)
    throw RegistryErrors.registrationConflict(
      `${plugin} contributes "${key}" to ${point.name}, which ${owner} has already contributed`,
    );
  owners.set(key, plugin);
}
