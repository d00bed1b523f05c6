import {
  type Database,
  retryUnknownCommit,
  type Scope,
  token,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import { type ResourceType, notFound } from './names.ts';

export type ProjectScope = Pick<Scope, 'org_id' | 'project_id'>;

/** A request for one resource. */
export interface NamedRequest {
  scope: Scope;
  name: string;
  by: AuditSource;
}

/** Something that can be removed by name, such as a row of a `NamedTable`. Returns false or undefined when it does not exist. */
export interface Removable<Removed> extends Pick<ResourceType, 'noun'> {
  remove(tx: Transaction, scope: ProjectScope, name: string): Promise<Removed | false | undefined>;
}

/** Changes resources. Each change and its audit entry are one transaction. */
export interface AuditedWrites {
  /**
   * Runs a change. `action` has the form `<noun>.<verb>`; `detail` is shown in the audit next to the name. The transaction runs
   * again when the answer to its commit is lost, so `work` must be idempotent.
   */
  write<Done>(
    call: NamedRequest,
    action: string,
    work: (tx: Transaction) => Promise<Done>,
    detail?: (done: Done) => string,
  ): Promise<Done>;
  /** Removes a resource. Throws `not_found`. */
  remove<Removed>(
    call: NamedRequest,
    action: string,
    from: Removable<Removed>,
    detail?: (removed: Removed) => string,
  ): Promise<void>;
}

export const AuditedWrites = token<AuditedWrites>('resources.AuditedWrites');

export function createAuditedWrites(
  database: Pick<Database, 'transaction'>,
  audit: Pick<Audit, 'record'>,
): AuditedWrites {
  const record = (tx: Transaction, { scope, name, by }: NamedRequest, action: string, detail: string | undefined) => {
    const { org_id, project_id } = scope;
    return audit.record(tx, { ...by, org_id, project_id, action, subject: name, detail });
  };
  return {
    write: (call, action, work, detail) =>
      retryUnknownCommit(() =>
        database.transaction(async (tx) => {
          const done = await work(tx);
          await record(tx, call, action, detail?.(done));
          return done;
        }),
      ),
    remove: (call, action, from, detail) =>
      retryUnknownCommit((isRetry) =>
        database.transaction(async (tx) => {
          const removed = await from.remove(tx, call.scope, call.name);
          if (removed) await record(tx, call, action, detail?.(removed));
          // At a second attempt it may be missing because the first commit has succeeded.
          else if (!isRetry) throw notFound(from, call.name);
        }),
      ),
  };
}
