import { extensionPoint, token, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { JournalRecord } from './journal.ts';
import type { SubmitResult } from './run.ts';

/** A record without its outcome. */
export type RecordedSite = Pick<JournalRecord, 'position' | 'kind' | 'name' | 'ordinal' | 'exit_code'>;

interface Place {
  run_id: string;
  activity_id: string;
}

/** The beginning of a journal that a new run starts with. */
export interface Prefix {
  org_id: string;
  project_id: string;
  from: Place;
  /** From position 0 on, without gaps. */
  records: readonly RecordedSite[];
  /** The job of the run whose journal it is, as the request names it; absent: that of a script. */
  job?: string;
}

/** The same, while the new run is created. */
export interface CopiedPrefix extends Prefix {
  to: Place;
  /** Whether the new run is trusted. */
  trusted: boolean;
}

/** A run whose coordinator keeps results of another one, while it is created. */
export interface KeptResults {
  org_id: string;
  project_id: string;
  from: Pick<Place, 'run_id'>;
  to: Pick<Place, 'run_id'>;
  /** Whether the new run is trusted. */
  trusted: boolean;
  /** The beginning of the journal with which one of its jobs goes on. `copy` is called with it afterwards. */
  resumed?: CopiedPrefix | undefined;
  /** Of some activities of the first run, those whose work the new run does again. */
  redone(tx: Transaction, activity_ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The records of these verbs in the journals that are kept. */
  records(tx: Transaction, kinds: readonly string[]): Promise<readonly KeptRecord[]>;
}

/** A record of a job that is kept. */
export interface KeptRecord extends RecordedSite {
  activity_id: string;
  job: string;
}

/** What a plugin stores in addition to the records of its verbs. */
export interface RerunPart {
  name: string;
  /** Throws ServiceError when the new run could not continue from there. */
  check?(prefix: Prefix): void | Promise<void>;
  /** Called in the transaction that creates the new run, after its records. The org's keys are ready. */
  copy?(tx: Transaction, prefix: CopiedPrefix): Promise<void>;
  /** The same for a run with a coordinator. */
  keep?(tx: Transaction, kept: KeptResults): Promise<void>;
}

export const RerunParts = extensionPoint<RerunPart>('runs.RerunParts', { key: (part) => part.name });

/** Which run is run again by a plugin, as a whole or with what succeeded in a coordinated run. */
export interface RerunOrder {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  run_id: string;
  /** A repeated order with this key returns the first rerun. A key of a plugin contains a NUL, which no request can. */
  key: string;
  by: AuditSource;
}

/** Runs ended runs again. */
export interface RunReruns {
  /** Throws `not_found`, `run_unfinished` and the errors of a submit. */
  rerun(order: RerunOrder): Promise<SubmitResult>;
}

export const RunReruns = token<RunReruns>('runs.RunReruns');

/** Returns the run of which a new run is a rerun with this key, from the idempotency key of the new run. */
export function rerunSourceOf(idempotency_key: string | undefined, key: string): string | undefined {
  const [start, end] = ['rerun\0', `\0${key}`];
  return idempotency_key?.startsWith(start) && idempotency_key.endsWith(end)
    ? idempotency_key.slice(start.length, -end.length)
    : undefined;
}
