import { token } from '../../../../kernel/contracts/index.ts';
import type { Run, RunStatus, SubstateKind } from './run.ts';

interface ProjectOf {
  org_id: string;
  project_id: string;
}

/** Texts that change with what they are named for. */
export interface RunVersions {
  project_id: string;
  /** Its status and its waits. */
  run: string;
  /** Its activities and their journals. */
  steps: string;
  log: string;
}

/** A run that came of another run, or of an event. */
export interface RunLink {
  run_id: string;
  /** The id of that run or event. */
  origin: string;
  how: 'called' | 'rerun' | 'started';
}

/** What a view that follows runs reads. Each is few statements, whatever the project holds. */
export interface RunFeed {
  /**
   * Records as lists show them, masked and without outputs, in the given order. Missing runs and those of other projects
   * are left out.
   */
  records(scope: ProjectOf, run_ids: readonly string[]): Promise<Run[]>;
  /** The record of one run with its notes and its whole texts, masked and without its output. */
  record(scope: ProjectOf, run_id: string): Promise<Run | undefined>;
  /** The newest runs of a project that are queued or running: at most `limit` of each. */
  open(project_id: string, limit: number): Promise<{ run_id: string; status: RunStatus }[]>;
  /** Missing runs are left out. */
  versions(run_ids: readonly string[]): Promise<ReadonlyMap<string, RunVersions>>;
  /** What came of runs and events (at most 128 of each), at most `limit` runs in each of the ways. */
  links(
    project_id: string,
    from: { runs: readonly string[]; events: readonly string[] },
    limit: number,
  ): Promise<RunLink[]>;
}

export const RunFeed = token<RunFeed>('runs.RunFeed');

/** What a run waits for. The name is masked. */
export interface ArmedWait {
  run_id: string;
  workflow: string;
  kind: SubstateKind;
  name: string;
  since: number;
  deadline: number | null;
}

/** Work of one executor, by the capabilities that it requires of an agent. */
export interface ExecutorWork {
  executor: string;
  wants(requires: readonly string[]): boolean;
}

/** Runs that wait for an agent with these capabilities. */
export interface QueuedWork {
  requires: string[];
  /** The run of each waiting activity, the oldest first. */
  run_ids: string[];
}

export interface OpenRun {
  run_id: string;
  project_id: string;
}

/** When a run with a tag began and ended. */
export interface TaggedRun {
  status: RunStatus;
  started_at: number | null;
  finished_at: number | null;
}

/** How a project stands, without a look at runs that are over. */
export interface RunFigures {
  /** Unfinished runs by status. Each is counted up to `limit`. */
  counts(project_id: string, limit: number): Promise<Record<'queued' | 'running' | 'waiting', number>>;
  /** The waits of the oldest runs that wait or are queued for their turn, at most `limit` runs of each. */
  waits(scope: ProjectOf, limit: number): Promise<ArmedWait[]>;
  /** Of the newest `limit` runs with the tag, those that began or ended at `since` or later. */
  tagged(project_id: string, tag: string, since: number, limit: number): Promise<TaggedRun[]>;
  /** How many activities each of the agents holds. */
  held(agent_ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** What waits for an agent, at most `limit` activities of each set of requirements, and at most 100 such sets. */
  queued(scope: ProjectOf, work: ExecutorWork, limit: number): Promise<QueuedWork[]>;
  /** An open run in any project of the org with such work; undefined without one. */
  openRun(org_id: string, work: ExecutorWork): Promise<OpenRun | undefined>;
}

export const RunFigures = token<RunFigures>('runs.RunFigures');
