import type { Plugin, Replacement, Role } from '../contracts/index.ts';
import type { Candidate } from './validate.ts';

/** Ids of built-in plugins; everything else is a path, a package name or a loaded plugin. */
export type PluginSelection = readonly (string | Plugin)[];

/** Selects the plugins whose code this role uses. The others are validated and ordered with them, and then left out. */
export const loadedBy =
  (role: Role) =>
  ({ manifest: { roles } }: Candidate): boolean =>
    roles?.includes(role) ?? true;

/**
 * Returns the candidates to load: selected and third-party plugins, everything that they require, and the providers of the
 * kernel's contracts unless all of their contracts are replaced. Without a selection, returns every candidate.
 */
export function select(
  candidates: readonly Candidate[],
  selection: PluginSelection | undefined,
  replace: readonly Replacement[] = [],
): readonly Candidate[] {
  if (selection === undefined) return candidates;
  const byId = new Map(candidates.map((candidate) => [candidate.manifest.id, candidate]));
  const replaced = new Set(replace.map(([token]) => token.name));
  const chosen = new Set<Candidate>();
  const choose = (candidate: Candidate): void => {
    if (chosen.has(candidate)) return;
    chosen.add(candidate);
    for (const id of candidate.manifest.requires) choose(byId.get(id)!);
  };
  for (const candidate of candidates) {
    const { id, provides } = candidate.manifest;
    const providesKernel = provides.some((name) => name.startsWith('kernel.') && !replaced.has(name));
    if (!candidate.builtin || selection.includes(id) || providesKernel) choose(candidate);
  }
  return candidates.filter((candidate) => chosen.has(candidate));
}
