import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findServicePaths } from '../contract/service-paths.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import { isWithin } from './within.ts';

export interface ServiceFileOptions {
  env: AgentEnvironment;
  /** The folder `.svc` of this process. */
  home: string;
  /** Folders that are shown entirely belong to the machine, not to svc. */
  system: readonly string[];
  visible: readonly string[];
}

/**
 * Returns the files of svc itself on this machine, wherever they are: every file that a setting names, logins, keys
 * and databases. Determined anew for each program, because links to secrets may point to new files while an agent
 * runs.
 */
export function findServiceFiles({ env, home, system, visible }: ServiceFileOptions): string[] {
  const folders = [process.cwd(), ...(env.SVC_AGENT_WORKDIR ? [resolve(env.SVC_AGENT_WORKDIR)] : [])].flatMap(
    withParents,
  );
  const state_folders = [home, ...folders.map((folder) => join(folder, '.svc'))];
  const all = [
    ...state_folders.flatMap((path) => (existsSync(path) ? [path, realpathSync(path)] : [path])),
    ...findServicePaths(env).map(({ path }) => path),
  ];
  // A system folder, or one around what is shown, cannot be what was meant, and nothing else of the latter is visible.
  const containsVisible = (path: string) => visible.some((one) => one !== path && isWithin(one, path));
  const isBelowVisible = (path: string) => visible.some((one) => one !== path && isWithin(path, one));
  return [...new Set(all)].filter((path) => !system.includes(path) && (!containsVisible(path) || isBelowVisible(path)));
}

const withParents = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...withParents(dirname(folder))];
