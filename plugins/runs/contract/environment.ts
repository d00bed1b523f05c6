import { extensionPoint, token } from '../../../kernel/contracts/index.ts';
import type { ActivityContext } from './extension.ts';
import type { Claimed } from './journal.ts';

/** Variables added to a job at claim time. */
export interface JobEnvironmentSource {
  name: string;
  /** Does a workflow's own `env` win over these (`below`), or these over it (`above`)? */
  layer: 'below' | 'above';
  provide(job: JobContext): Promise<JobVariable[]>;
}

/** The job that is claimed. */
export interface JobContext extends ActivityContext {
  /** What its run names: variable → name of a credential or account. */
  credentials: Readonly<Record<string, string>>;
}

export interface JobVariable {
  name: string;
  value: string;
  /** Masked in logs and views. */
  secret: boolean;
  /** Texts to be masked beside the value: the halves of a pair. */
  masks?: string[];
}

/** The environment of one claimed job, in the order in which its layers are applied. */
export interface JobEnvironmentLayers {
  below: JobVariable[];
  /** The `env` of the submit. */
  workflow: Record<string, string>;
  above: JobVariable[];
  /** Texts that nothing of this job may show: the secret values of this claim and of all earlier ones of its run. */
  masks?: readonly string[];
}

/** Asks every `JobEnvironment` source, in boot order, when a job is claimed. Holds nothing afterwards. */
export interface JobEnvironments {
  /** Throws what a source throws: a job never starts with half its environment. */
  environment(claimed: Claimed): Promise<JobEnvironmentLayers>;
}

export const JobEnvironments = token<JobEnvironments>('runs.JobEnvironments');

export const JobEnvironment = extensionPoint<JobEnvironmentSource>('runs.JobEnvironment', {
  key: (source) => source.name,
});
