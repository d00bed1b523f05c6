import type { CheckoutOptions, Json } from '../../../engine/runs/contract.ts';
import type { CheckoutWork } from '../../../execution/scripts/contract.ts';

/**
 * A step as an agent runs it. Its texts still contain expressions, because they may read the outputs of earlier steps.
 */
export interface StepSpec {
  id: string | null;
  /** The name that the log shows. */
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

/** Files that a job restores before its steps and saves after them. Its texts may contain expressions. */
export interface CacheSpec {
  key: string;
  /** Files of the workspace whose content is part of the key. */
  files: readonly string[];
  paths: readonly string[];
  /** Beginnings of other keys to restore. */
  restore_keys: readonly string[];
}

/** The config of a job in a plan, before its expressions are evaluated. */
export interface JobPlan {
  name: string;
  requires: string[];
  env: Record<string, Json>;
  credentials: Record<string, string>;
  steps: StepSpec[];
  outputs: Record<string, Json>;
  /** Folders and files of the workspace. */
  artifacts: string[];
  /** Folders and files among the run's artifacts that the workspace begins with. */
  needed_artifacts?: string[];
  caches?: CacheSpec[];
  /** The repository of the event that started the run is put into the workspace; null: as that event has it. */
  checkout: boolean | CheckoutOptions | null;
  /** The roots that texts evaluated on the agent read, in addition to `env` and `steps`. */
  roots: string[];
}

/** What the executor receives of a job. Expressions of the job itself and of its environment are evaluated already. */
export interface JobSpec extends Omit<JobPlan, 'requires' | 'roots' | 'env' | 'checkout'> {
  /** The version of this shape. An agent rejects any other. */
  version: 1;
  /** The job with the number of its combination, which is the same for every attempt. */
  key: string;
  env: Record<string, string>;
  /**
   * How long the steps may take together on one agent. Undefined when the job has a timeout of its own, or no limit.
   */
  limit_ms?: number;
  /** What the workspace begins with; null for an empty one. Its credential is in `runs.CHECKOUT_VARIABLE`. */
  checkout: CheckoutWork | null;
  /** The values that the expressions of the steps may read. */
  scope: Record<string, Json>;
}

export const JOB_EXECUTOR = 'job';
/** The capability of agents that put artifacts of the run into a job's workspace. Earlier versions do not. */
export const FETCHES_ARTIFACTS = 'svc:artifacts';
/** The type of node that a job with steps is in a plan. */
export const JOB_NODE = 'pipeline_job';
/** A wait for a person whose question contains expressions. */
export const QUESTION_NODE = 'pipeline_question';
export const LANGUAGE = 'pipeline';
