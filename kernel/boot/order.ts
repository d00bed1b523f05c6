import { BootErrors } from './errors.ts';
import type { Candidate } from './validate.ts';

/** Topological by `requires`, ties alphabetical, so that every boot has the same order. */
export function order(candidates: readonly Candidate[]): Candidate[] {
  const waiting = new Map(candidates.map((candidate) => [candidate.manifest.id, candidate]));
  const ordered: Candidate[] = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()]
      .filter(({ manifest }) => manifest.requires.every((id) => !waiting.has(id)))
      .sort((a, b) => a.manifest.id.localeCompare(b.manifest.id))[0];
    if (!ready)
      throw BootErrors.pluginsInvalid(`plugins require each other in a cycle: ${[...waiting.keys()].join(', ')}`);
    waiting.delete(ready.manifest.id);
    ordered.push(ready);
  }
  return ordered;
}
