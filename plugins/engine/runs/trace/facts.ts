import type { NodeSpan } from '../contract.ts';

export type PassOutcome = 'completed' | 'parked' | 'released' | 'lost' | 'cancelled';

/** What a commit of this server has recorded, without anything that is sealed. Times are epoch ms. */
export type Fact =
  | {
      fact: 'call';
      activity_id: string;
      epoch: number;
      call: { position: number; kind: string; name: string; ordinal: number; exit_code: number };
      started_at: number;
      at: number;
    }
  /** Its epoch is of no matter where the activity has ended: there the last one is meant. */
  | { fact: 'pass'; activity_id: string; epoch: number | undefined; outcome: PassOutcome; at: number }
  | { fact: 'activity'; activity_id: string }
  | { fact: 'run'; run_id: string }
  | { fact: 'node'; run_id: string; node: NodeSpan };

/** What spans need of a run. */
export interface TracedRunRow {
  run_id: string;
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  kind: string;
  workflow: string;
  status: string;
  trigger_type: string | null;
  coordinator: string | null;
  parent: string | null;
  rerun_of: string | null;
  error_code: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  trace: string | null;
}

export interface TracedActivityRow {
  activity_id: string;
  run_id: string;
  name: string;
  executor: string;
  parent: string | null;
  state: string;
  epoch: number;
  due: number;
  created_at: number;
  finished_at: number | null;
  error_code: string | null;
  exit_code: number | null;
}

export interface TracedAttemptRow {
  run_id: string;
  activity_id: string;
  position: number;
  attempt: number;
  exit_code: number;
  started_at: number;
  ended_at: number;
}
