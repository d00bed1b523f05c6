import type { Json } from '../../../engine/runs/contract.ts';
import type { Forge } from './forge.ts';
import { type JsonObject, valueAt } from './json-pointer.ts';

/** More commits or files than this are not looked at: sorting a million files would hold up all other requests. */
const MAX_ENTRIES = 50_000;

/**
 * Returns the files of a push, sorted and distinct. The list is complete only when every commit has all of its lists
 * and the forge reports nothing missing. Otherwise a condition on paths must not skip work.
 */
export function listPaths(forge: Forge, payload: JsonObject): { paths: string[]; is_complete: boolean } {
  const { commits: commits_pointer, paths: members } = forge.section.push;
  const commits = valueAt(payload, commits_pointer);
  if (!Array.isArray(commits) || commits.length > MAX_ENTRIES) return { paths: [], is_complete: false };
  const lists = commits.flatMap((commit) => members.map((member) => valueAt(commit, `/${member}`)));
  const entries = lists.reduce((total: number, list) => total + (Array.isArray(list) ? list.length : 0), 0);
  if (entries > MAX_ENTRIES) return { paths: [], is_complete: false };
  const paths = new Set(lists.filter(isTexts).flat());
  const is_complete = commits.length > 0 && lists.every(isTexts) && forge.hasAllPaths(payload);
  return { paths: [...paths].sort(), is_complete };
}

const isTexts = (list: Json | undefined): list is string[] =>
  Array.isArray(list) && list.every((entry) => typeof entry === 'string');
