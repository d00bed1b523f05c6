import type { Clock, Database, GroupCommits, Ids, Queries, Sealer } from '../../../../../kernel/contracts/index.ts';
import type { Audit } from '../../../../platform/audit/contract.ts';
import type { RunMasks } from '../../../../security/masking/contract.ts';
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
} from '../../contract.ts';
import type { RunSpans } from '../../trace/run-spans.ts';
import type { EagerClaimers } from '../claim/eager.ts';
import type { TaskQueues } from '../claim/queues.ts';
import type { RunAdmission } from '../submit/admission.ts';
import type { RunSettings } from '../submit/settings.ts';
import type { Sources } from '../submit/sources.ts';
import type { ActivityOwners } from './activities.ts';
import type { JournalSizes } from './journal-sizes.ts';
import type { RunEnvironments } from './runs.ts';

/** What the transitions of one server share. */
export interface StoreContext {
  database: Database;
  group_commits: GroupCommits;
  sealer: Sealer;
  ids: Ids;
  clock: Clock;
  wakeups: Wakeups;
  audit: Audit;
  limits: RunLimits;
  masks: Pick<RunMasks, 'of' | 'inherit'>;
  /** Undefined without tracing. */
  spans: RunSpans | undefined;
  wait_kinds: ReadonlyMap<string, WaitKind>;
  verbs: ReadonlyMap<string, JournaledVerb>;
  coordinators: ReadonlyMap<string, RunCoordinator>;
  observers: readonly RunObserver[];
  submit_observers: readonly SubmitObserver[];
  work_observers: readonly WorkObserver[];
  activity_observers: readonly ActivityObserver[];
  envelope_sources: readonly EnvelopeSource[];
  queues: TaskQueues;
  eager: EagerClaimers;
  owners: ActivityOwners;
  journal_sizes: JournalSizes;
  sources: Sources;
  admission: RunAdmission;
  settings: RunSettings;
  run_environments: RunEnvironments;
  /** Lets this process look for work again after so many milliseconds. */
  pollLater(ms: number): void;
  /** Makes the `run_url` of lifecycle payloads; they have none without it. */
  public_url: string | undefined;
}

/** Where to read; inside a transaction it must be the transaction itself. */
export type Reader = Pick<Queries, 'read' | 'sql'>;
