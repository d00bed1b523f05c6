import { extensionPoint, movedPoint, token } from '../../../../kernel/contracts/index.ts';
import type { ActivityContext } from './extension.ts';
import type { Claimed } from './journal.ts';
import type { Json } from './run.ts';

/** Variables added to a job at claim time. */
export interface JobEnvironmentSource {
  name: string;
  /**
   * Checks what a submit names in `credentials`, as variable → name. Throws `credential_missing` and names the variable. A
   * submit with credentials is rejected if no source has this check.
   */
  checkCredentials?(
    scope: { org_id: string; project_id: string },
    credentials: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** `base`: `below` wins over these. `below`: the workflow's own `env` wins over these. `above`: these win. */
  layer: 'base' | 'below' | 'above';
  provide(job: JobContext): Promise<JobVariable[]>;
}

/** The job that is claimed. */
export interface JobContext extends ActivityContext {
  /** Its credentials and those of its run: variable → name of a credential or account. */
  credentials: Readonly<Record<string, string>>;
}

export interface JobVariable {
  name: string;
  value: string;
  /** Masked in logs and views. */
  secret: boolean;
  /** Further texts to mask: the halves of a pair. */
  masks?: string[];
  /**
   * A variable of the project or its org. The SDKs also answer it by this name in `vars`, whatever overrides it in the
   * environment. Older agents ignore this.
   */
  in_vars?: true;
}

/** The environment of one claimed job, in the order in which its layers are applied. */
export interface JobEnvironmentLayers {
  below: JobVariable[];
  /** The `env` of the submit, and of the activity. */
  workflow: Record<string, string>;
  above: JobVariable[];
  /** Texts that no view of this job may show: the secret values of this claim and of all earlier claims of its run. */
  masks?: readonly string[];
  /** What a `ClaimPreparation` made for the executor. */
  given?: Json;
}

/**
 * Prepares the activities of one executor at their claim. They get no variables: neither secrets of the project, nor
 * credentials and `env` of their run.
 */
export interface ClaimPreparation {
  executor: string;
  /**
   * What the agent gets for this claim only; nothing stores it. `masks` are the secret texts in it. A ServiceError below 500
   * fails the activity, and no other attempt is made.
   */
  prepare(claimed: Claimed): Promise<{ given: Json; masks: readonly string[] }>;
}

/** Asks every `JobEnvironment` source in boot order, or the `ClaimPreparation`, when a job is claimed. Caches nothing. */
export interface JobEnvironments {
  /** Throws the error of a source: a job never starts with a part of its environment. */
  environment(claimed: Claimed): Promise<JobEnvironmentLayers>;
}

export const JobEnvironments = token<JobEnvironments>('runs.JobEnvironments');

/** The variables of jobs, and what the activities of one executor get instead. */
export const JobEnvironment = extensionPoint<JobEnvironmentSource | ClaimPreparation>('runs.JobEnvironment', {
  key: (given) => ('executor' in given ? `executor ${given.executor}` : given.name),
});

/** A source that checks the credentials of a submit. */
export type CredentialChecker = JobEnvironmentSource & Required<Pick<JobEnvironmentSource, 'checkCredentials'>>;

export const checksCredentials = (given: JobEnvironmentSource | ClaimPreparation): given is CredentialChecker =>
  'checkCredentials' in given && given.checkCredentials !== undefined;

/** @deprecated Contribute a `ClaimPreparation` to `JobEnvironment`. Version 0.4.0 removes this point. */
export const ClaimPreparations = movedPoint('runs.ClaimPreparations', JobEnvironment, (one: ClaimPreparation) => one);

/** @deprecated Version 0.4.0 removes it. */
export interface CredentialCheck {
  name: string;
  check: NonNullable<JobEnvironmentSource['checkCredentials']>;
}

/** @deprecated Contribute a source with `checkCredentials` to `JobEnvironment`. Version 0.4.0 removes this point. */
export const CredentialChecks = movedPoint(
  'runs.CredentialChecks',
  JobEnvironment,
  ({ name, check }: CredentialCheck): JobEnvironmentSource => ({
    name: `check of ${name}`,
    layer: 'below',
    checkCredentials: check,
    provide: async () => [],
  }),
);
