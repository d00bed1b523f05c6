import { token } from '../../../../kernel/contracts/index.ts';
import type { RunStatus, SubstateKind } from './run.ts';

/** When a run was created, started and ended. Times are epoch ms. */
export interface TimedRun {
  run_id: string;
  workflow: string;
  status: RunStatus;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

/** A recorded call without its output, or an ended activity of a coordinated run, such as a job. Times are epoch ms. */
export interface TimedCall {
  run_id: string;
  activity_id: string;
  /** Of a call; -1 for an activity. */
  position: number;
  /** The verb of a call; `activity` for an activity. */
  kind: string;
  /** Not masked. */
  name: string;
  succeeded: boolean;
  started_at: number;
  ended_at: number;
}

/** A wait, open or ended, except sleeps and pauses between attempts. Times are epoch ms. */
export interface TimedWait {
  run_id: string;
  kind: SubstateKind;
  /** Not masked. */
  name: string;
  armed_at: number;
  /** Null while it is open. */
  ended_at: number | null;
}

/** The failed attempts of one call, or of an activity that consists of one command. */
export interface FailedAttempts {
  run_id: string;
  activity_id: string;
  position: number;
  kind: string;
  /** Not masked. */
  name: string;
  attempts: number;
  /** How long they took together, in ms. */
  lost_ms: number;
}

/** When the parts of runs began and ended. */
export interface RunTimes {
  runs: TimedRun[];
  calls: TimedCall[];
  waits: TimedWait[];
  failures: FailedAttempts[];
  /** Not all calls, waits or attempts of these runs were read. */
  truncated: boolean;
}

/** Reads when things happened, and opens no sealed value. */
export interface RunTimesReader {
  /** Reads at most 128 runs, and at most `limit` calls, activities, waits and failed attempts of each kind. */
  read(run_ids: readonly string[], limit: number): Promise<RunTimes>;
}

export const RunTimesReader = token<RunTimesReader>('runs.RunTimesReader');
