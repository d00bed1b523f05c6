import type { Database, Ids, Queries } from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditEntry } from '../contract.ts';
import { truncateText, checkAction } from '../domain/bounds.ts';
import { type EntryRow, insertEntries } from '../store/entries.ts';

export class SqlAudit implements Audit {
  readonly #database: Pick<Database, 'now'>;
  readonly #ids: Ids;

  constructor(database: Pick<Database, 'now'>, ids: Ids) {
    this.#database = database;
    this.#ids = ids;
  }

  record(tx: Queries, entry: AuditEntry): Promise<void> {
    return this.recordAll(tx, [entry]);
  }

  async recordAll(tx: Queries, entries: readonly AuditEntry[]): Promise<void> {
    await insertEntries(
      tx,
      entries.map((entry) => this.#row(entry)),
    );
  }

  #row({ org_id, project_id, action, subject, detail = '', principal, request_id, ip }: AuditEntry): EntryRow {
    return {
      entry_id: this.#ids.next('aud'),
      org_id,
      project_id: project_id ?? '',
      at: this.#database.now(),
      action: checkAction(action),
      subject: truncateText(subject),
      detail: truncateText(detail),
      principal_kind: principal?.kind ?? '',
      principal_id: principal?.id ?? '',
      principal_name: principal?.name ?? '',
      token_id: principal?.token_id ?? '',
      request_id: request_id.slice(0, 128),
      ip: ip.slice(0, 64),
    };
  }
}
