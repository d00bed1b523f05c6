import { token } from '../../../../kernel/contracts/index.ts';
import type { ActivityScope } from './activities.ts';
import type { IncludedFile } from './files.ts';
import type { Claimed, JournalRecord } from './journal.ts';
import type { OriginFilter } from './origin-filter.ts';
import type { Run, RunStatus, Substate, SubstateKind } from './run.ts';
import type { SignalTerms } from './signal-terms.ts';
import type { SentSignal } from './store.ts';
import type { InFlightCall } from './visible-run.ts';
import type { WorkflowPin } from './workflow.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

/** A query for a page of runs. Times are epoch ms; `before` is the last run of the previous page. */
export interface RunFilter {
  statuses: RunStatus[];
  /** Only runs that are paused, or only those that are not. */
  paused?: boolean | undefined;
  tag: string | undefined;
  workflow: string | undefined;
  subject: string | undefined;
  trigger: OriginFilter | undefined;
  /** Only runs created at this time or later. */
  since: number | undefined;
  /** Only runs created before this time. */
  until: number | undefined;
  limit: number;
  before: string | undefined;
  /** Only these runs, at most 128. */
  among?: readonly string[] | undefined;
}

/** A filter that every run matches. */
export const ANY_RUN: Omit<RunFilter, 'limit' | 'before'> = {
  statuses: [],
  tag: undefined,
  workflow: undefined,
  subject: undefined,
  trigger: undefined,
  since: undefined,
  until: undefined,
};

/** What a run is found by besides its record. Nothing is masked. */
export interface SearchableRun {
  /** The output as JSON, unless it is large. */
  output: Buffer | undefined;
  /** The credentials and accounts that its submit and its document name. */
  credentials: string[];
  /** The names of its first activities. */
  activities: string[];
}

export interface RunPage {
  run_ids: string[];
  /** The run after which the next page begins. Undefined on the last page. */
  next: string | undefined;
}

/** A position in the journals of a run. */
export interface StepPosition {
  activity_id: string;
  position: number;
}

/** A failed attempt of a call. Times are epoch ms. */
export interface StepAttempt {
  attempt: number;
  /** How many attempts the call may have. */
  attempts: number;
  exit_code: number;
  /** The end of its stdout. */
  output: Buffer;
  message: string | null;
  started_at: number;
  ended_at: number;
  next_at: number;
}

/** A durable call. Times are epoch ms. */
export interface Step extends StepPosition {
  activity: string;
  kind: string;
  name: string;
  ordinal: number;
  label: string | null;
  /** The claim under which the call was made: a program is started anew for each. */
  epoch: number;
  started_at: number;
  /** Null while the call has no outcome. */
  recorded: { at: number; exit_code: number; output: Buffer; message: string | null } | null;
  deadline: number | null;
  /** Failed attempts before the last one. */
  attempts?: readonly StepAttempt[] | undefined;
  /** Present while an agent executes the call. */
  in_flight?: InFlightCall;
}

/** An activity that a call of another activity created. */
export interface ChildState {
  activity_id: string;
  parent: string;
  name: string;
  state: string;
  exit_code: number | null;
  agent_id: string | null;
  /** JSON. */
  requires: string | null;
  created_at: number;
  finished_at: number | null;
}

/** A run that a call created. */
export interface CalledRun extends StepPosition {
  called_id: string;
  status: RunStatus;
}

/** An activity in progress. */
export interface OpenActivity {
  activity_id: string;
  state: 'pending' | 'claimed' | 'parked';
  agent_id: string | null;
  /** JSON. */
  requires: string | null;
}

export interface EndedActivity {
  activity_id: string;
  created_at: number;
  finished_at: number;
  error_code: string | null;
  error_message: string | null;
}

/** What an activity waits for. */
export interface OpenWait {
  activity_id: string;
  substate: SubstateKind;
  name: string;
  armed_at: number;
  deadline: number | null;
  called_id: string | null;
  /** Which events end it, or what else does. */
  condition: Pick<Substate, 'when' | 'values' | 'any'>;
}

/** The name of an activity, and the activity that created it. */
export interface ActivityName {
  activity_id: string;
  name: string;
  parent: string | null;
}

export interface SignalFilter {
  state: SentSignal['state'] | undefined;
  /** The last signal of the previous page. */
  before: number | undefined;
  limit: number;
}

/** A signal without its payload. Times are epoch ms. */
export interface StoredSignal {
  seq: number;
  name: string;
  state: SentSignal['state'];
  sent_at: number;
  taken_at: number | null;
  /** The person who sent it. Null: it is older than this, or the service itself sent it. */
  sent_by: string | null;
  /** Of an answer to a wait that asks a person. */
  decision: 'approved' | 'rejected' | null;
}

/** A wait for a signal, with what it asks of the person who answers. Times are epoch ms. */
export interface OpenQuestion extends StepPosition {
  /** The activity that waits. */
  activity: string;
  name: string;
  terms: SignalTerms;
  armed_at: number;
  deadline: number | null;
}

/** The document that a run executes. */
export interface RunDocumentText {
  kind: string;
  workflow: string;
  filename: string | null;
  source: string;
  pin: WorkflowPin | undefined;
  /** The files that were included with a script. */
  files: IncludedFile[];
}

/** How the program of a run is started, except its input. */
export interface RunProgram {
  kind: string;
  filename: string | null;
  interpreter: string | null;
  env: Record<string, string>;
  /** Names of the variables that contain credentials. */
  credentials: string[];
}

/**
 * Reads runs in order to show them. Sealed values are opened but not masked. The caller masks them with the masks of their
 * run, and reads the masks after the values, so that they include every secret in the values. No method reads within a
 * transaction. Every list has a limit, or reads the given IDs.
 */
export interface RunReader {
  /** The newest runs that match. A page ends early when the texts of its runs are large, or when the search has read enough. */
  list(project_id: string, filter: RunFilter): Promise<RunPage>;
  /** Runs as lists show them: without large outputs, and with long texts shortened. Skips runs of other projects and runs that do not exist. */
  listed(scope: Scope, run_ids: readonly string[]): Promise<Run[]>;
  /** What the index of a search needs. Undefined for a run that does not exist. */
  searchable(run: ActivityScope): Promise<SearchableRun | undefined>;
  exists(project_id: string, run_id: string): Promise<boolean>;
  /** Throws `not_found`. */
  status(run_id: string): Promise<RunStatus>;
  /** The name of the coordinator, null without one. Undefined: the project has no such run. */
  coordinator(project_id: string, run_id: string): Promise<string | null | undefined>;
  /** The calls that agents are executing now, no matter which server they have reported them to. */
  inFlight(run_id: string): Promise<InFlightCall[]>;
  /** Calls after a position that failed at least once. `open`: their activity has not ended. `truncated`: there may be more. */
  triedSteps(
    run: ActivityScope,
    after: StepPosition,
  ): Promise<{ steps: (Step & { open: boolean })[]; truncated: boolean }>;
  /** Calls after a position that wait. */
  waitingSteps(run_id: string, after: StepPosition, limit: number): Promise<Step[]>;
  /** Recorded calls after a position, as many as fit on a page of 1 MiB. `truncated`: there are more. */
  recordedSteps(run: ActivityScope, after: StepPosition, limit: number): Promise<{ steps: Step[]; truncated: boolean }>;
  /** The children with these names, of these activities. */
  children(run_id: string, calls: readonly { activity_id: string; name: string }[]): Promise<ChildState[]>;
  /** The runs that calls at these positions have created, without pruned ones. */
  calledRuns(run_id: string, calls: readonly StepPosition[]): Promise<CalledRun[]>;
  /** The failed attempts of activities that consist of one command. If there are too many for a page, the first ones of each activity. */
  commandAttempts(run: ActivityScope, activity_ids: readonly string[]): Promise<Map<string, StepAttempt[]>>;
  openActivities(activity_ids: readonly string[]): Promise<Map<string, OpenActivity>>;
  endedActivities(activity_ids: readonly string[]): Promise<Map<string, EndedActivity>>;
  /** The open waits, by activity. */
  openWaits(run: ActivityScope, activity_ids: readonly string[]): Promise<Map<string, OpenWait>>;
  activityNames(activity_ids: readonly string[]): Promise<ActivityName[]>;
  /** The last pass of an activity that has printed anything; 0 when none has. */
  lastPass(activity_id: string): Promise<number>;
  /** The newest first. `searched_to`: the search ended before this signal, and older ones may match. */
  signals(run_id: string, filter: SignalFilter): Promise<{ signals: StoredSignal[]; searched_to?: number }>;
  /** The open waits for signals that ask a person, the oldest first; at most a hundred. */
  questions(run: ActivityScope): Promise<OpenQuestion[]>;
  /** Throws `not_found`. */
  document(run: ActivityScope): Promise<RunDocumentText>;
  /** The input, or the event that started the run. Throws `not_found` and `envelope_gone`. */
  input(run: ActivityScope): Promise<Claimed['envelope']>;
  /** Throws `not_found`. */
  program(run: ActivityScope): Promise<RunProgram>;
  /** The activities of a run that no other activity created. */
  rootActivities(run_id: string): Promise<string[]>;
  /** The call in which an activity waits, or pauses between two attempts. */
  waitingCall(
    run_id: string,
    activity_id: string,
  ): Promise<Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal'> | undefined>;
  /** The records of an activity from a position on, as many as fit on a page of 1 MiB. `truncated`: there are more. */
  journal(
    activity: ActivityScope & { activity_id: string },
    from: number,
    limit: number,
  ): Promise<{ records: JournalRecord[]; truncated: boolean }>;
}

export const RunReader = token<RunReader>('runs.RunReader');
