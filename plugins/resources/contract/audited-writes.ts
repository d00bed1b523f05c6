import {
  type Database,
  retryUnknownCommit,
  type Scope,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import { type Noun, notFound } from './names.ts';

export type ProjectScope = Pick<Scope, 'org_id' | 'project_id'>;

/** One request for one resource. */
export interface NamedCall {
  scope: Scope;
  name: string;
  by: AuditSource;
}

/** A `NamedTable` is one. Answers false or undefined when there is nothing with that name. */
export interface Removable<Removed> extends Pick<Noun, 'noun'> {
  remove(tx: Transaction, scope: ProjectScope, name: string): Promise<Removed | false | undefined>;
}

/** Changes resources, each with its audit row in one transaction. */
export interface AuditedWrites {
  /**
   * `action` is `<noun>.<verb>`; `detail` is shown in the audit beside the name. When the answer to the commit is lost,
   * the transaction runs again: `work` must be correct when it runs twice.
   */
  write<Done>(
    call: NamedCall,
    action: string,
    work: (tx: Transaction) => Promise<Done>,
    detail?: (done: Done) => string,
  ): Promise<Done>;
  /** Throws `not_found`. */
  remove<Removed>(
    call: NamedCall,
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
  const record = (tx: Transaction, { scope, name, by }: NamedCall, action: string, detail: string | undefined) => {
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
      retryUnknownCommit((again) =>
        database.transaction(async (tx) => {
          const removed = await from.remove(tx, call.scope, call.name);
          if (removed) await record(tx, call, action, detail?.(removed));
          // At the second try it may be gone because the first commit succeeded.
          else if (!again) throw notFound(from, call.name);
        }),
      ),
  };
}
