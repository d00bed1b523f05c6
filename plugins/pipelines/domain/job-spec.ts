import type { CheckoutOptions, Json } from '../../runs/contract.ts';
import type { CheckoutWork } from '../../scripts/contract.ts';

/** A step as an agent runs it. Texts still have their holes: they may read what earlier steps put out. */
export interface StepSpec {
  id: string | null;
  /** Shown in the log. */
  name: string;
  run: string;
  if: string | null;
  always: boolean;
  env: Record<string, Json>;
  attempts: number;
  backoff_ms: number;
  timeout_ms: number | null;
  continue_on_error: boolean;
  working_directory: string;
}

/** A job of a plan: nothing is filled in yet. */
export interface JobPlan {
  name: string;
  requires: string[];
  env: Record<string, Json>;
  credentials: Record<string, string>;
  steps: StepSpec[];
  outputs: Record<string, Json>;
  /** Folders and files of the workspace. */
  artifacts: string[];
  /** The repository of the event that started the run is put into the workspace; null: as that event has it. */
  checkout: boolean | CheckoutOptions | null;
  /** The roots that texts of the agent read, beside `env` and `steps`. */
  roots: string[];
}

/** What the executor is told of a job: its own holes and those of its environment are filled. */
export interface JobSpec extends Omit<JobPlan, 'requires' | 'roots' | 'env' | 'checkout'> {
  /** Of this shape; an agent refuses another one. */
  version: 1;
  /** The job, with the number of its combination: the same for every attempt. */
  key: string;
  env: Record<string, string>;
  /** How long its steps may take together on one agent; absent: its own timeout, or nothing, bounds it. */
  limit_ms?: number;
  /** What the workspace begins with; null: nothing. Its credential is in `runs.CHECKOUT_VARIABLE`. */
  checkout: CheckoutWork | null;
  /** What the steps' expressions may read. */
  scope: Record<string, Json>;
}

export const JOB_EXECUTOR = 'job';
/** The type of node that a job with steps is in a plan. */
export const JOB_NODE = 'pipeline_job';
export const LANGUAGE = 'pipeline';
