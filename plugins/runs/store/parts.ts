import type { Clock, Database, GroupCommits, Ids, Queries, Sealer } from '../../../kernel/contracts/index.ts';
import type { Audit } from '../../audit/contract.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type {
  ActivityObserver,
  EnvelopeSource,
  JournaledVerb,
  RunCoordinator,
  RunLimits,
  RunObserver,
  SubmitObserver,
  WaitKind,
  Wakeups,
  WorkObserver,
} from '../contract.ts';
import type { RunAdmission } from './admission.ts';
import type { ActivityOwners } from './activity-owners.ts';
import type { InstantClaimers } from './instant-claims.ts';
import type { KnownFacts } from './known-facts.ts';
import type { KnownLanes } from './known-lanes.ts';
import type { LaneWindows } from './lanes.ts';
import type { RunSpans } from '../trace/run-spans.ts';
import type { RunSettings } from './run-settings.ts';
import type { Sources } from './sources.ts';

/** Provided by the owner of the store. */
export interface StoreSettings {
  lanes: KnownLanes;
  facts: KnownFacts;
  admission: RunAdmission;
  settings: RunSettings;
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  ids: Ids;
  clock: Clock;
  wakeups: Wakeups;
  wait_kinds: readonly WaitKind[];
  verbs: readonly JournaledVerb[];
  observers: readonly RunObserver[];
  submit_observers: readonly SubmitObserver[];
  work_observers: readonly WorkObserver[];
  activity_observers: readonly ActivityObserver[];
  envelope_sources: readonly EnvelopeSource[];
  coordinators: readonly RunCoordinator[];
  audit: Audit;
  limits: RunLimits;
  masks: Pick<RunMasks, 'of' | 'inherit'>;
  /** Undefined: nobody traces. */
  spans: RunSpans | undefined;
  /** Counts an activity that was claimed at the moment it became claimable. */
  claimedAtOnce(): void;
  /** Looks for work in this process again after so many milliseconds. */
  workLater(ms: number): void;
  /** Makes `run_url` in lifecycle payloads; absent there without it. */
  public_url: string | undefined;
}

/** The same, as the transitions use it. */
export interface StoreParts extends Omit<StoreSettings, 'wait_kinds' | 'verbs' | 'coordinators'> {
  wait_kinds: ReadonlyMap<string, WaitKind>;
  verbs: ReadonlyMap<string, JournaledVerb>;
  coordinators: ReadonlyMap<string, RunCoordinator>;
  owners: ActivityOwners;
  sources: Sources;
  instant: InstantClaimers;
  windows: LaneWindows;
}

/** Where to read; inside a transaction it must be the transaction itself. */
export type Reader = Pick<Queries, 'read' | 'sql'>;
