import type { Json } from '../../runs/contract.ts';
import type { Forge } from './forge.ts';
import { type JsonObject, valueAt } from './places.ts';

/**
 * The files of a push, sorted and distinct. They are known only when the forge sent commits with all of their lists and
 * does not say that some are missing. Otherwise a condition on paths must not skip work.
 */
export function pathsOf(forge: Forge, payload: JsonObject): { paths: string[]; known: boolean } {
  const { commits: place, paths: members } = forge.section.push;
  const commits = valueAt(payload, place);
  if (!Array.isArray(commits)) return { paths: [], known: false };
  const lists = commits.flatMap((commit) => members.map((member) => valueAt(commit, `/${member}`)));
  const paths = new Set(lists.filter(isTexts).flat());
  const known = commits.length > 0 && lists.every(isTexts) && forge.sentAllPaths(payload);
  return { paths: [...paths].sort(), known };
}

const isTexts = (list: Json | undefined): list is string[] =>
  Array.isArray(list) && list.every((entry) => typeof entry === 'string');
