import { extensionPoint, type Queries } from '../../../kernel/contracts/index.ts';
import { CHECKOUT_VARIABLE, type CheckoutOptions, type Json } from '../../runs/contract.ts';

/** The program, and the capability of agents that have it. */
export const GIT = 'git';

/** A commit of a repository, and how much of it an agent puts into a workspace. It holds no secret. */
export interface CheckoutWork {
  url: string;
  /** The commit of the event. Absent: `ref` is there. */
  sha?: string;
  /** A branch, tag or commit. */
  ref?: string;
  /** The tag that is made for the commit: `v1.2`. */
  tag?: string;
  /** Commits of the history; 0: all of them, and the tags. */
  depth: number;
  submodules: boolean | 'recursive';
  /** Folders that are written, beside the files at the root; empty: all. */
  paths: readonly string[];
}

/** Whose repository is wanted. */
export interface CheckoutStart {
  org_id: string;
  project_id: string;
  /** The event that started the run. */
  event?: string | undefined;
  /** The run that made it: without an event of its own, a run has the repository of that one. */
  parent?: string | undefined;
  /** False: the repository is fetched without a credential. */
  trusted: boolean;
}

export interface FoundRepository {
  /** As its forge says it in a signed delivery; not checked. */
  url: string;
  /** The commit of the event, or else a branch, tag or commit. */
  sha?: string;
  ref?: string;
  tag?: string;
  /** Name of the credential that opens it. */
  credential: string | null;
}

export interface RepositorySource {
  name: string;
  /**
   * The repository of the event that started a run. `ref`: another branch, tag or commit of it is wanted. `asked`: somebody
   * asked for it; otherwise only an event that is about a commit has one. Undefined when there is none.
   */
  of(
    on: Pick<Queries, 'read'>,
    start: CheckoutStart,
    wanted: { ref?: string | undefined; asked: boolean },
  ): Promise<FoundRepository | undefined>;
}

export const RepositorySources = extensionPoint<RepositorySource>('scripts.RepositorySources', {
  key: ({ name }) => name,
});

/** What is added to an activity that begins with a repository. */
export interface CheckoutParts {
  checkout: CheckoutWork;
  credentials: Record<string, string>;
  requires: string[];
}

/**
 * What the activity of a run needs to begin with the repository of the event that started it. `wanted` undefined: nobody
 * said anything, and it begins so where the event is a push, or about a pull request or a release. Undefined: it begins with
 * an empty workspace.
 */
export async function planCheckout(
  sources: readonly RepositorySource[],
  on: Pick<Queries, 'read'>,
  start: CheckoutStart,
  wanted: boolean | CheckoutOptions | undefined,
): Promise<CheckoutParts | undefined> {
  if (wanted === false) return undefined;
  const { ref, depth = 1, submodules = false, paths = [] } = typeof wanted === 'object' ? wanted : {};
  for (const source of sources) {
    const found = await source.of(on, start, { ref, asked: wanted !== undefined });
    if (found === undefined) continue;
    const { credential, ...repository } = found;
    return {
      checkout: { ...repository, depth, submodules, paths },
      credentials: credential === null || !start.trusted ? {} : { [CHECKOUT_VARIABLE]: credential },
      requires: [GIT],
    };
  }
  return undefined;
}

/** The checkout in the record of an activity; undefined without one. Agents check it before they use it. */
export function readCheckout(spec: Json | undefined): CheckoutWork | undefined {
  if (spec === undefined || spec === null || typeof spec !== 'object' || Array.isArray(spec)) return undefined;
  const { url, ref, sha, tag, depth = 1, submodules = false, paths = [] } = spec;
  const commit = { ...(sha !== undefined && { sha }), ...(ref !== undefined && { ref }) };
  return { url, ...commit, ...(tag !== undefined && { tag }), depth, submodules, paths } as unknown as CheckoutWork;
}

/** What a checkout is about, for people. */
export const shownCommit = ({ sha, ref }: Pick<CheckoutWork, 'sha' | 'ref'>): string =>
  String(sha ?? ref).slice(0, 255);
