import type { ChainLink } from '../../../../../cli/generated/api.ts';

type Words = Record<ChainLink['relation'], string>;

/** Of what led here: what this or the link before it was. */
export const BEFORE: Words = {
  started: 'started by',
  emitted: 'emitted by',
  called: 'called by',
  rerun: 'a rerun of',
  woke: 'woken by',
  cancelled: 'cancelled by',
};

/** Of what came of it. */
export const AFTER: Words = {
  started: 'started',
  emitted: 'emitted',
  called: 'called',
  rerun: 'run again as',
  woke: 'woke',
  cancelled: 'cancelled',
};

export interface Branch {
  link: ChainLink;
  onwards: Branch[];
}

/** The tree that a list of links with depths says. */
export function treeOf(links: readonly ChainLink[]): Branch[] {
  const roots: Branch[] = [];
  const open: Branch[] = [];
  for (const link of links) {
    while (open.length > 0 && open.at(-1)!.link.depth >= link.depth) open.pop();
    const branch: Branch = { link, onwards: [] };
    (open.at(-1)?.onwards ?? roots).push(branch);
    open.push(branch);
  }
  return roots;
}
