import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { ImportGraph } from './imports.ts';
import { checks, type Part, unitParts, type Wanted } from './parts.ts';

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');

/** Files that differ from a commit, or that git does not know yet. Without a commit: from the last one that is whole. */
function changedSince(commit: string): string[] {
  const untracked = git('ls-files', '--others', '--exclude-standard');
  const now = [...git('diff', '--name-only', commit || 'HEAD'), ...untracked];
  return commit === '' && now.length === 0 ? git('diff', '--name-only', 'HEAD~1') : now;
}

/**
 * For the inner loop: the checks, the unit files that load what has changed or stand beside it, and the features of the areas
 * that it belongs to, on SQLite. What a plugin gives to others through its contract is for the whole gate to prove.
 */
export async function changedParts(commit: string, wanted: Wanted): Promise<Part[]> {
  const changed = changedSince(commit);
  const graph = new ImportGraph();
  const plugins = new Set(changed.flatMap((path) => /^plugins\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? []));
  const reached = (file: string): boolean => {
    const plugin = /^plugins\/[^/]+\/([^/]+)\//.exec(file)?.[1];
    return (plugin !== undefined && plugins.has(plugin)) || changed.some((path) => graph.reach(file).files.has(path));
  };
  const unit = await unitParts(wanted, reached);
  const features = await featuresOf(changed, plugins);
  process.stdout.write(
    `changed: ${changed.length} files, which reach ${unit.length} unit parts and ${features.length} feature files\n`,
  );
  const command = ['node', 'test/gate/features.ts', 'sqlite', ...features];
  const run: Part = { name: 'features of what has changed', command, counts: 'cucumber' };
  return [...checks(wanted), ...unit, ...(features.length > 0 ? [run] : [])];
}

/** Those that have changed, and the areas with the name of a plugin or of steps that did. */
async function featuresOf(changed: readonly string[], plugins: ReadonlySet<string>): Promise<string[]> {
  const steps = changed.flatMap((path) => /^features\/steps\/([^/.]+)/.exec(path)?.[1] ?? []);
  const found = new Set(changed.filter((path) => path.endsWith('.feature') && existsSync(path)));
  for (const area of new Set([...plugins, ...steps]))
    for await (const file of glob(`features/${area}/**/*.feature`)) found.add(file);
  return [...found].sort();
}
