import type { Database, GroupCommits, Ids, Queries, Sealer } from '../../../kernel/contracts/index.ts';
import type { Audit } from '../../audit/contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type {
  ActivityObserver,
  EnvelopeSource,
  JournaledVerb,
  RunObserver,
  SubmitObserver,
  WaitKind,
  Wakeups,
} from '../contract.ts';
import type { ActivityPlaces } from './places.ts';

/** What the store's owner gives it. */
export interface StoreSettings {
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  ids: Ids;
  wakeups: Wakeups;
  wait_kinds: readonly WaitKind[];
  verbs: readonly JournaledVerb[];
  observers: readonly RunObserver[];
  submit_observers: readonly SubmitObserver[];
  activity_observers: readonly ActivityObserver[];
  envelope_sources: readonly EnvelopeSource[];
  audit: Audit;
  masks: Pick<RunMasks, 'of'>;
  /** Makes `run_url` in lifecycle payloads; absent there when this is. */
  public_url: string | undefined;
}

/** The same, as the transitions use it. */
export interface StoreParts extends Omit<StoreSettings, 'wait_kinds' | 'verbs'> {
  wait_kinds: ReadonlyMap<string, WaitKind>;
  verbs: ReadonlyMap<string, JournaledVerb>;
  places: ActivityPlaces;
}

/** Where to read; inside a transaction it must be the transaction's own. */
export type Reader = Pick<Queries, 'read' | 'sql'>;
