import 'reflect-metadata';
import { type DependencyContainer, instanceCachingFactory, container as root } from 'tsyringe';
import type { ExtensionPoint, Replacement, Resolve, Token } from '../contracts/index.ts';
import { RegistryErrors } from './errors.ts';

interface Contribution {
  plugin: string;
  make: (use: Resolve) => unknown;
}

/**
 * Services and contributions of one kernel. The only user of the DI container. Multi-bindings, ordering and lifecycle
 * are implemented here, because tsyringe's child registrations hide the parent's lists and resolving an empty list
 * throws.
 */
export class Registry {
  readonly #container: DependencyContainer = root.createChildContainer();
  readonly #owners = new Map<string, string>();
  readonly #replacements = new Map<string, Replacement[1]>();
  readonly #points = new Map<string, Contribution[]>();
  readonly #collected = new Map<string, readonly unknown[]>();
  readonly contributed: { plugin: string; point: string; key: string | undefined; made: unknown }[] = [];
  readonly #making: string[] = [];
  #sealed = false;

  readonly use: Resolve = Object.assign(<T>(token: Token<T>): T => this.#resolve(token), {
    all: <T>(point: ExtensionPoint<T>): readonly T[] => this.#collect(point),
  });

  bind<T>(plugin: string, token: Token<T>, make: (use: Resolve) => T): void {
    this.#refuseWhenSealed(plugin, `binds ${token.name}`);
    const owner = this.#owners.get(token.name);
    if (owner !== undefined)
      throw RegistryErrors.registrationConflict(`${plugin} binds ${token.name}, which ${owner} has already bound`);
    this.#owners.set(token.name, plugin);
    const own = () => make(this.use);
    const replacement = this.#replacements.get(token.name) as ((use: Resolve, own: () => T) => T) | undefined;
    const useFactory = instanceCachingFactory(replacement ? () => replacement(this.use, own) : own);
    this.#container.register(token.name, { useFactory });
  }

  /** Binds a service that no manifest names; the plugin itself holds its token. */
  own<T>(plugin: string, make: (use: Resolve) => T): Token<T> {
    const token: Token<T> = { name: `${plugin}#${this.#owners.size}${make.name === '' ? '' : ` ${make.name}`}` };
    this.bind(plugin, token, make);
    return token;
  }

  /** Wins over what is bound to the token later, or stands alone when nobody binds it. */
  replace([token, make]: Replacement): void {
    this.#replacements.set(token.name, make);
  }

  contribute<T>(plugin: string, point: ExtensionPoint<T>, make: (use: Resolve) => T | readonly T[]): void {
    this.#refuseWhenSealed(plugin, `contributes to ${point.name}`);
    const list = this.#points.get(point.name) ?? [];
    list.push({ plugin, make });
    this.#points.set(point.name, list);
  }

  /** What each plugin bound and contributed, to compare with its manifest. */
  declared(plugin: string): { provides: string[]; contributes: string[] } {
    const provides = [...this.#owners]
      .filter(([name, owner]) => owner === plugin && !name.startsWith(`${plugin}#`))
      .map(([name]) => name);
    const contributes = [...this.#points]
      .filter(([, list]) => list.some((contribution) => contribution.plugin === plugin))
      .map(([name]) => name);
    return { provides, contributes };
  }

  seal(): void {
    for (const name of this.#replacements.keys())
      if (!this.#owners.has(name)) this.bind('replace', { name }, () => unbound(name));
    this.#sealed = true;
  }

  #refuseWhenSealed(plugin: string, what: string): void {
    if (this.#sealed)
      throw RegistryErrors.registrationClosed(`${plugin} ${what} after registration ended; do it in register()`);
  }

  #resolve<T>(token: Token<T>): T {
    if (!this.#owners.has(token.name)) {
      const wanted = this.#making.length > 0 ? `, which is needed by ${this.#making.join(' → ')}` : '';
      throw RegistryErrors.serviceUnbound(`no plugin provides ${token.name}${wanted}`);
    }
    if (this.#making.includes(token.name))
      throw RegistryErrors.serviceCycle(`services depend on each other: ${[...this.#making, token.name].join(' → ')}`);
    this.#making.push(token.name);
    try {
      return this.#container.resolve<T>(token.name);
    } finally {
      this.#making.pop();
    }
  }

  #collect<T>(point: ExtensionPoint<T>): readonly T[] {
    const known = this.#collected.get(point.name) as readonly T[] | undefined;
    if (known) return known;
    const holders = new Map<string, string>();
    const collected = (this.#points.get(point.name) ?? []).flatMap(({ plugin, make }) => {
      const made = make(this.use) as T | readonly T[];
      const list: readonly T[] = Array.isArray(made) ? made : [made as T];
      for (const made of list) {
        checkContribution(point, plugin, made, holders);
        this.contributed.push({ plugin, point: point.name, key: point.key?.(made), made });
      }
      return list;
    });
    this.#collected.set(point.name, collected);
    return collected;
  }
}

function unbound(name: string): never {
  throw RegistryErrors.serviceUnbound(`no plugin provides ${name}, so it cannot be replaced`);
}

function checkContribution<T>(point: ExtensionPoint<T>, plugin: string, contribution: T, holders: Map<string, string>) {
  const fault = point.check?.(contribution);
  if (fault) throw RegistryErrors.contributionInvalid(`${plugin} contributes to ${point.name}: ${fault}`);
  const key = point.key?.(contribution);
  if (key === undefined) return;
  const holder = holders.get(key);
  if (holder !== undefined)
    throw RegistryErrors.registrationConflict(
      `${plugin} contributes "${key}" to ${point.name}, which ${holder} has already contributed`,
    );
  holders.set(key, plugin);
}
