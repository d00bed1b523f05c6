import type { HealthCheck, LoadedPlugins } from '../../../kernel/contracts/index.ts';
import type { Readiness } from '../../http/contract.ts';
import type { PluginList as View } from '../generated/plugin-list.ts';

interface Parts {
  loaded: LoadedPlugins;
  /** It needs the checks, and so what every plugin has contributed. */
  readiness: () => Readiness;
  checks: readonly HealthCheck[];
}

type PluginView = View['plugins'][number];

const HEALTH = 'kernel.HealthChecks';

/** The plugins of this process as the API shows them. */
export class PluginList {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async view(): Promise<View> {
    const { loaded, readiness } = this.#parts;
    const failing = new Set(await readiness().failing());
    const made = this.#made();
    const plugins = loaded.list.map(({ manifest, builtin }): PluginView => {
      const { id, version, summary, requires, contributes } = manifest;
      const adds = contributes.map((point) => ({ point, names: made.get(`${id} ${point}`) ?? [] }));
      const health = (made.get(`${id} ${HEALTH}`) ?? []).map((name) => ({ name, ok: !failing.has(name) }));
      return { id, version, builtin, summary, requires: [...requires], adds, health };
    });
    return { plugins };
  }

  /** Names of what each plugin has contributed to each point. A point that nobody has read yet has none. */
  #made(): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const { plugin, point, key } of this.#parts.loaded.contributed()) {
      const names = found.get(`${plugin} ${point}`) ?? [];
      if (key !== undefined) names.push(key);
      found.set(`${plugin} ${point}`, names);
    }
    return found;
  }
}
