import type { Registry } from '../registry/registry.ts';
import { BootErrors } from './errors.ts';
import type { Candidate } from './validate.ts';

/** Ends registration. Checks that each plugin did what its manifest says. */
export function seal(candidates: readonly Candidate[], registry: Registry): void {
  registry.seal();
  const problems = candidates.flatMap(({ manifest, origin }) => {
    const declared = registry.declared(manifest.id);
    return [
      ...difference(declared.provides, manifest.provides).map(
        (name) => `${origin}: binds ${name}; add it to "provides"`,
      ),
      ...difference(manifest.provides, declared.provides).map(
        (name) => `${origin}: "provides" names ${name}, but the plugin does not bind it`,
      ),
      ...difference(declared.contributes, manifest.contributes).map(
        (name) => `${origin}: contributes to ${name}; add it to "contributes"`,
      ),
      ...difference(manifest.contributes, declared.contributes).map(
        (name) => `${origin}: "contributes" names ${name}, but the plugin does not contribute to it`,
      ),
    ];
  });
  if (problems.length > 0) throw BootErrors.pluginsInvalid(problems.join('; '));
}

function difference(actual: readonly string[], expected: readonly string[]): string[] {
  return actual.filter((name) => !expected.includes(name));
}
