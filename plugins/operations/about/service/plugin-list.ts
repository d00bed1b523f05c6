import type { HealthCheck, LoadedPlugins } from '../../../../kernel/contracts/index.ts';
import type { Readiness } from '../../../platform/http/contract.ts';
import type { PluginList as View } from '../generated/plugin-list.ts';

interface PluginListDeps {
  loaded: LoadedPlugins;
  /** It needs the checks, and so what every plugin has contributed. */
  readiness: () => Readiness;
  checks: readonly HealthCheck[];
}

type PluginView = View['plugins'][number];

const HEALTH = 'kernel.HealthChecks';

/** The plugins of this process as the API shows them. */
export class PluginList {
  readonly #deps: PluginListDeps;

  constructor(deps: PluginListDeps) {
    this.#deps = deps;
  }

  async view(): Promise<View> {
    const { loaded, readiness } = this.#deps;
    const failing = new Set(await readiness().failing());
    const contributed = this.#contributedNames();
    const plugins = loaded.list.map(({ manifest, builtin }): PluginView => {
      const { id, version, summary, requires, contributes } = manifest;
      const adds = contributes.map((point) => ({ point, names: contributed.get(`${id} ${point}`) ?? [] }));
      const health = (contributed.get(`${id} ${HEALTH}`) ?? []).map((name) => ({ name, ok: !failing.has(name) }));
      return { id, version, builtin, summary, requires: [...requires], adds, health };
    });
    return { plugins };
  }

  /** Returns what each plugin contributed to each extension point. A point that has not been read yet has no names. */
  #contributedNames(): Map<string, string[]> {
    const names_by_point = new Map<string, string[]>();
    for (const { plugin, point, key } of this.#deps.loaded.contributed()) {
      const names = names_by_point.get(`${plugin} ${point}`) ?? [];
      if (key !== undefined) names.push(key);
      names_by_point.set(`${plugin} ${point}`, names);
    }
    return names_by_point;
  }
}
