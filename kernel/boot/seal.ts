import type { Registry } from '../registry/registry.ts';
import { BootErrors } from './errors.ts';
import type { Candidate } from './validate.ts';

/** Ends registration. Checks that each plugin did what its manifest says. */
export function seal(candidates: readonly Candidate[], registry: Registry): void {
  registry.seal();
  const faults = candidates.flatMap(({ manifest, origin }) => {
    const did = registry.declared(manifest.id);
    return [
      ...difference(did.provides, manifest.provides).map((name) => `${origin}: binds ${name}; add it to "provides"`),
      ...difference(manifest.provides, did.provides).map(
        (name) => `${origin}: "provides" names ${name}, but the plugin does not bind it`,
      ),
      ...difference(did.contributes, manifest.contributes).map(
        (name) => `${origin}: contributes to ${name}; add it to "contributes"`,
      ),
      ...difference(manifest.contributes, did.contributes).map(
        (name) => `${origin}: "contributes" names ${name}, but the plugin does not contribute to it`,
      ),
    ];
  });
  if (faults.length > 0) throw BootErrors.pluginsInvalid(faults.join('; '));
}

function difference(left: readonly string[], right: readonly string[]): string[] {
  return left.filter((name) => !right.includes(name));
}
