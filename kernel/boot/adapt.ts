import type { Adapt } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { attributeToPlugin, loadFile } from './load.ts';
import { loadedBy } from './select.ts';
import { type Candidate, validate } from './validate.ts';

type Process = Parameters<Adapt>[0];

/** Adds the plugins that adapters among the candidates build from data, such as connector manifests. */
export async function withAdapted(candidates: readonly Candidate[], process: Process): Promise<readonly Candidate[]> {
  const adapters = candidates.filter(({ manifest }) => manifest.adapts).filter(loadedBy(process.role));
  if (adapters.length === 0) return candidates;
  const made = await Promise.all(adapters.map((adapter) => adaptPlugins(adapter, process)));
  return validate([...candidates, ...made.flat()]);
}

async function adaptPlugins(adapter: Candidate, process: Process): Promise<Candidate[]> {
  const { adapt } = await loadFile<{ adapt?: Adapt }>(adapter, 'adapter');
  if (typeof adapt !== 'function')
    throw BootErrors.pluginsInvalid(`${adapter.origin}: its adapter file must export adapt`);
  try {
    const plugins = await adapt(process);
    return plugins.map(({ plugin, ...rest }) => ({ ...rest, plugin, manifest: plugin.manifest, folder: '' }));
  } catch (error) {
    throw attributeToPlugin(adapter.manifest.id, 'adapt', error);
  }
}
