import { extensionPoint, type ServiceError, token, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ActivityEnd, ActivityScope } from './activities.ts';
import type { ArmWait } from './journal.ts';
import type { Json, Trigger } from './run.ts';
import type { NewActivity } from './store.ts';

/** What a coordinated run begins with. */
export interface Coordination {
  /** Name of a `RunCoordinator`. */
  by: string;
  /** Only its coordinator reads it. */
  plan: unknown;
}

/** An activity without an agent: it waits, and ends when its wait does. No agent claims it. */
export interface WaitingActivity {
  activity_id: string;
  name: string;
  /** It is a child of this activity: the run's status does not depend on it. */
  parent?: string;
  wait: Pick<ArmWait, 'kind' | 'name' | 'args' | 'timeout_ms'>;
  /** A queued run stays queued while it waits: it starts when its turn has come. */
  queued?: boolean;
}

/** A coordinated run in a transaction that holds its row. */
export interface CoordinatedRun extends ActivityScope {
  readonly subject: string | null;
  readonly generation: number;
  readonly trusted: boolean;
  /** Nothing may start now; `RunCoordinator.resumed` is called when it may again. */
  readonly paused: boolean;
  readonly trigger: Trigger;
  /** The content of its input file, with references resolved. Throws `envelope_gone`. */
  envelope(): Promise<{ type: string; [key: string]: Json }>;
  /** queued → running, announced. Does nothing in a run that has started. */
  start(): Promise<void>;
  /** Agents can claim them from the commit on; somebody in this process may have claimed them then. */
  add(activities: readonly NewActivity[]): Promise<void>;
  /** Starts the run, unless it waits `queued`. Answers the result of the activity if its wait is resolved already. */
  wait(activity: WaitingActivity): Promise<ActivityEnd | undefined>;
  /**
   * Open activities → cancelled, with their children. Without ids: every open activity of the run. Observers are not
   * called.
   */
  cancel(reason: string, activity_ids?: readonly string[]): Promise<void>;
  /** Counts bytes that the coordinator stores for an untrusted run, and answers why they are too many. */
  count(bytes: number): Promise<ServiceError | undefined>;
  /** The results of these activities. Those that have not ended, or were cancelled, are left out. */
  ends(activity_ids: readonly string[]): Promise<Map<string, ActivityEnd>>;
}

/** What a coordinator stores of a run that ends when it begins. It is sealed together with the run's output. */
export interface CoordinatorRecord {
  /** At most `MAX_RECORD_BYTES` together with the output. `Activities.record` answers it. */
  content: Buffer;
  /** The output as JSON. */
  output_json: Buffer;
}

/** Lists show outputs of rows that are not larger than this, so that a record never hides an output. */
export const MAX_RECORD_BYTES = 4000;

/** How a run ends. */
export type CoordinatedEnding =
  | { status: 'succeeded'; output: Json; record?: CoordinatorRecord | undefined }
  | { status: 'failed'; code: string; message: string };

export type NodeState = 'waiting' | 'running' | 'backoff' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';

/** One node of a coordinated run, or one item of it, in lists. Times are epoch ms. */
export interface CoordinatedNode {
  id: string;
  type: string;
  /** How people know it; absent: by its id, and the number of the item. */
  label?: string | undefined;
  /** Null for the node itself. */
  item: number | null;
  /** Its place in the list, from 0: the number of the node, or of the item. */
  place: number;
  state: NodeState;
  /** Begun attempts. */
  attempt: number;
  /** Activities of attempts that have ended and were not the last, oldest first; at most the newest 20. */
  earlier: readonly { attempt: number; activity_id: string }[];
  /** The activity of its current attempt, or of the pause before the next one. */
  activity_id: string | null;
  /** The waiting activity that ends its attempt after its timeout. */
  timer_id: string | null;
  /** Items of a fan-out: total, begun, ended, failed. */
  items: { total: number; begun: number; ended: number; failed: number } | null;
  case: Json;
  /** Not masked; only when asked for and when it has one. That of a fan-out is only with its items. */
  output?: Json;
  error: { code: string; message: string } | null;
  /** Its result is that of the run that this one is a rerun of. */
  kept: boolean;
  started_at: number | null;
  finished_at: number | null;
}

/** Which nodes of a run, in order of their places. */
export interface NodePage {
  /** A place; -1 for the first page. */
  after: number;
  limit: number;
  /** The items of this node that have begun. Throws `not_found` for an unknown one. */
  of?: string;
  /** Only those in progress: running, or between two attempts. */
  open?: boolean;
  /** With their outputs. The page ends early when they are large. */
  outputs?: boolean;
}

export interface NodeList {
  nodes: CoordinatedNode[];
  more: boolean;
  /** The last place that was looked at; absent: that of the last node. */
  last?: number | undefined;
}

/** A node, or an item of one, in a finished run. */
export interface NodeWork {
  node: string;
  /** Null for a node that has no items. */
  item: number | null;
  /** It has items, each with work of its own. */
  several: boolean;
  /** Of its last attempt; null where it had none in this run, and where there are several. */
  activity_id: string | null;
  /** The run whose result of the node this one keeps. */
  kept_from?: string;
}

/** The node from which a run is rerun. */
export interface NodeAgain {
  node: string;
  /** The first attempt of the node, or of this item of it, is this activity: its journal is there already. */
  resumed?: { item: number | null; activity_id: string };
}

/**
 * Decides which activities of a run come next, and how the run ends. Every call is in a transaction that holds the
 * run's row.
 */
export interface RunCoordinator {
  name: string;
  /** Called in the transaction that creates the run. */
  begin(tx: Transaction, run: CoordinatedRun, plan: unknown): Promise<void>;
  /** An activity of the run has ended; not called for cancelled ones. */
  ended(tx: Transaction, run: CoordinatedRun, end: ActivityEnd): Promise<void>;
  /** No activity of the run is open. Undefined: the coordinator will continue with `CoordinatedRuns.advance`. */
  ending(tx: Transaction, run: CoordinatedRun): Promise<CoordinatedEnding | undefined>;
  /** The run is no longer paused: what was left may start. Absent for one whose runs have nothing left then. */
  resumed?(tx: Transaction, run: ActivityScope): Promise<void>;
  /** The run has ended, with any status. */
  over(tx: Transaction, run: ActivityScope): Promise<void>;
  /** Its nodes, for the steps view. Outside of transactions. Absent: its runs show the calls of their activities. */
  nodes?(run: ActivityScope, page: NodePage): Promise<NodeList>;
  /** True when the lines of several activities may meet in the log of the run, so that each line names its own. */
  several?(run: ActivityScope): Promise<boolean>;
  /** Says how people know an activity by its name, for logs; undefined: by that name. Absent: so all of them. */
  labels?(run: ActivityScope): Promise<(name: string) => Promise<string | undefined>>;
  /**
   * The plan of a new run of `plan` that keeps what a finished run has come to, except for what did not succeed, one node
   * (`from`), and what comes after any of these. Outside of transactions. Throws `invalid_request` for an unknown node.
   * Undefined: nothing can be kept. Absent: runs are rerun as a whole.
   */
  rerun?(run: ActivityScope, plan: unknown, from: NodeAgain | undefined): Promise<unknown>;
  /**
   * A node, or an item of one, by its id (`parts[3]`) or by what people call it. Undefined: there is none. Absent: nodes are
   * rerun from their beginning.
   */
  node?(run: ActivityScope, name: string): Promise<NodeWork | undefined>;
  /** Of some activities of the first run, those whose work such a plan does again. At most 128 are asked for at once. */
  redone?(
    tx: Transaction,
    run: ActivityScope,
    plan: unknown,
    activity_ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
}

export const RunCoordinators = extensionPoint<RunCoordinator>('runs.RunCoordinators', { key: ({ name }) => name });

/** Lets coordinators continue outside of the end of an activity. */
export interface CoordinatedRuns {
  /** Afterwards the run has its new status, or has ended. Does nothing for a run that has ended. */
  advance(run: ActivityScope, work: (tx: Transaction, run: CoordinatedRun) => Promise<void>): Promise<void>;
}

export const CoordinatedRuns = token<CoordinatedRuns>('runs.CoordinatedRuns');
