import type { Adapt } from '../contracts/index.ts';
import { BootErrors } from './errors.ts';
import { blame, loadFile } from './load.ts';
import { loadedBy } from './select.ts';
import { type Candidate, validate } from './validate.ts';

type Process = Parameters<Adapt>[0];

/** The candidates together with the plugins that adapters among them make of data. */
export async function withAdapted(candidates: readonly Candidate[], of: Process): Promise<readonly Candidate[]> {
  const adapters = candidates.filter(({ manifest }) => manifest.adapts).filter(loadedBy(of.role));
  if (adapters.length === 0) return candidates;
  const made = await Promise.all(adapters.map((adapter) => adapted(adapter, of)));
  return validate([...candidates, ...made.flat()]);
}

async function adapted(adapter: Candidate, of: Process): Promise<Candidate[]> {
  const { adapt } = await loadFile<{ adapt?: Adapt }>(adapter, 'adapter');
  if (typeof adapt !== 'function')
    throw BootErrors.pluginsInvalid(`${adapter.origin}: its adapter file must export adapt`);
  try {
    const plugins = await adapt(of);
    return plugins.map(({ plugin, ...rest }) => ({ ...rest, plugin, manifest: plugin.manifest, folder: '' }));
  } catch (error) {
    throw blame(adapter.manifest.id, 'adapt', error);
  }
}
