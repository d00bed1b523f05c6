import { extensionPoint, type Queries } from '../../../../kernel/contracts/index.ts';
import { CHECKOUT_VARIABLE, type CheckoutOptions, type Json } from '../../../engine/runs/contract.ts';

/** The program, and the capability of agents that have it. */
export const GIT = 'git';

/** A commit of a repository, and how much of it an agent checks out. It contains no secret. */
export interface CheckoutWork {
  url: string;
  /** The commit of the event. Without it, `ref` is set. */
  sha?: string;
  /** A branch, tag or commit. */
  ref?: string;
  /** The tag that points to the commit, such as `v1.2`. */
  tag?: string;
  /** Number of commits of the history; 0 for all of them, with the tags. */
  depth: number;
  submodules: boolean | 'recursive';
  /** Folders to check out besides the files at the root; empty for all. */
  paths: readonly string[];
}

/** Identifies the repository of a run. */
export interface CheckoutStart {
  org_id: string;
  project_id: string;
  /** The event that started the run. */
  event?: string | undefined;
  /** The run that started it. A run without an event of its own uses the repository of that one. */
  parent?: string | undefined;
  /** If false, the repository is fetched without a credential. */
  trusted: boolean;
}

export interface EventRepository {
  /** The URL that the forge sent in a signed delivery; not validated. */
  url: string;
  /** The commit of the event, or a branch, tag or commit. */
  sha?: string;
  ref?: string;
  tag?: string;
  /** The full name of the branch or tag, for a push to it. */
  pushed_ref?: string;
  /** Name of the credential that grants access. */
  credential: string | null;
}

export interface RepositorySource {
  name: string;
  /**
   * Returns the repository of the event that started a run, or undefined. `ref` selects another branch, tag or
   * commit. `requested` means that a checkout was requested; otherwise only events about a commit have one.
   */
  find(
    on: Pick<Queries, 'read'>,
    start: CheckoutStart,
    selection: { ref?: string | undefined; requested: boolean },
  ): Promise<EventRepository | undefined>;
}

export const RepositorySources = extensionPoint<RepositorySource>('scripts.RepositorySources', {
  key: ({ name }) => name,
});

/** What is added to an activity that begins with a checkout. */
export interface CheckoutRequirements {
  checkout: CheckoutWork;
  credentials: Record<string, string>;
  requires: string[];
}

/**
 * Returns what the activity of a run needs to begin with the repository of the event that started it. If `options` is
 * undefined, it does so when the event is a push, or about a pull request or a release. Returns undefined if it
 * begins with an empty workspace.
 */
export async function planCheckout(
  sources: readonly RepositorySource[],
  on: Pick<Queries, 'read'>,
  start: CheckoutStart,
  options: boolean | CheckoutOptions | undefined,
): Promise<CheckoutRequirements | undefined> {
  if (options === false) return undefined;
  const { ref, depth = 1, submodules = false, paths = [] } = typeof options === 'object' ? options : {};
  for (const source of sources) {
    const match = await source.find(on, start, { ref, requested: options !== undefined });
    if (match === undefined) continue;
    const { credential, pushed_ref: _, ...repository } = match;
    return {
      checkout: { ...repository, depth, submodules, paths },
      credentials: credential === null || !start.trusted ? {} : { [CHECKOUT_VARIABLE]: credential },
      requires: [GIT],
    };
  }
  return undefined;
}

/** Returns the checkout in an activity's spec, or undefined. Agents validate it before they use it. */
export function readCheckout(spec: Json | undefined): CheckoutWork | undefined {
  if (spec === undefined || spec === null || typeof spec !== 'object' || Array.isArray(spec)) return undefined;
  const { url, ref, sha, tag, depth = 1, submodules = false, paths = [] } = spec;
  return { url, sha, ref, tag, depth, submodules, paths } as unknown as CheckoutWork;
}

/** Names what is checked out, in words for people. */
export const describeCommit = ({ sha, ref }: Pick<CheckoutWork, 'sha' | 'ref'>): string =>
  String(sha ?? ref).slice(0, 255);
