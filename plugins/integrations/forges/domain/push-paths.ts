import type { Json } from '../../../engine/runs/contract.ts';
import { yieldBeforePiece } from '../../../platform/schema/contract.ts';
import type { Forge } from './forge.ts';
import { type JsonObject, valueAt } from './json-pointer.ts';

/** More commits or files than this are not looked at: sorting a million files would hold up all other requests. */
const MAX_ENTRIES = 50_000;

/**
 * Returns the files of a push, sorted and distinct. The list is complete only when every commit has all of its lists
 * and the forge reports nothing missing. Otherwise a condition on paths must not skip work.
 */
export async function listPaths(forge: Forge, payload: JsonObject): Promise<{ paths: string[]; is_complete: boolean }> {
  const { commits: commits_pointer, paths: members } = forge.section.push;
  const commits = valueAt(payload, commits_pointer);
  if (!Array.isArray(commits) || commits.length > MAX_ENTRIES) return { paths: [], is_complete: false };
  const lists = commits.flatMap((commit) => members.map((member) => valueAt(commit, `/${member}`)));
  const entries = lists.reduce((total: number, list) => total + (Array.isArray(list) ? list.length : 0), 0);
  if (entries > MAX_ENTRIES) return { paths: [], is_complete: false };
  const paths = new Set(lists.filter(isTexts).flat());
  const is_complete = commits.length > 0 && lists.every(isTexts) && forge.hasAllPaths(payload);
  return { paths: await sortYielding([...paths]), is_complete };
}

/** Long paths with a common prefix take about 10 ms to sort. */
const PIECE_PATHS = 8192;

/** Sorts texts in several turns of the event loop when there are many. */
async function sortYielding(texts: readonly string[]): Promise<string[]> {
  const sorted: string[][] = [];
  for (let from = 0; from < texts.length; from += PIECE_PATHS) {
    if (from > 0) await yieldBeforePiece();
    sorted.push(texts.slice(from, from + PIECE_PATHS).sort());
  }
  // The shortest lists come first, so that few texts are copied often.
  while (sorted.length > 1) {
    await yieldBeforePiece();
    sorted.push(mergeSorted(sorted.shift()!, sorted.shift()!));
  }
  return sorted[0] ?? [];
}

function mergeSorted(left: readonly string[], right: readonly string[]): string[] {
  const merged: string[] = [];
  let at = 0;
  for (const text of left) {
    while (at < right.length && right[at]! < text) merged.push(right[at++]!);
    merged.push(text);
  }
  return merged.concat(right.slice(at));
}

const isTexts = (list: Json | undefined): list is string[] =>
  Array.isArray(list) && list.every((entry) => typeof entry === 'string');
