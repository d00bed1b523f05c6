import {
  type Database,
  type Ids,
  iso,
  type ListResult,
  type Page,
  pageOf,
  retryUnknownCommit,
  type Scope,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import { appliedFull } from '../errors.ts';
import type { ChangeApplied } from '../generated/change-applied.ts';
import type { ChangedApplied } from '../generated/changed-applied.ts';
import type { AppliedObject } from '../generated/applied-object.ts';
import { type AppliedRow, countApplied, insertApplied, listApplied, removeApplied } from '../store/applied.ts';

const MAX_APPLIED = 20_000;

interface AppliedDeps {
  database: Database;
  ids: Ids;
  audit: Pick<Audit, 'record'>;
}

/** Remembers which objects of a project were applied from files. */
export class AppliedObjects {
  readonly #deps: AppliedDeps;

  constructor(deps: AppliedDeps) {
    this.#deps = deps;
  }

  async list(scope: Scope, page: Page): Promise<ListResult> {
    const rows = await listApplied(this.#deps.database, scope, page);
    const { items, ...rest } = pageOf(rows, page.limit, ({ mark_id }) => mark_id);
    return { items: items.map(toView), ...rest };
  }

  /** Marks and unmarks objects of a kind. What is marked already gets a new time. Throws `applied_full`. */
  change(
    scope: Scope,
    kind: string,
    { add = [], remove = [] }: ChangeApplied,
    by: AuditSource,
  ): Promise<ChangedApplied> {
    const { database, ids, audit } = this.#deps;
    const { org_id, project_id } = scope;
    // A name in both lists is marked: it was removed, and applied again.
    const added = [...new Set(add)];
    return retryUnknownCommit(() =>
      database.transaction(async (tx) => {
        const removed = await removeApplied(tx, scope, kind, [...new Set([...remove, ...added])]);
        const stamp = { kind, applied_at: database.now(), applied_by: by.principal?.name ?? null };
        await insertApplied(
          tx,
          scope,
          added.map((name) => ({ ...stamp, name, mark_id: ids.next('mrk') })),
        );
        if (added.length > 0 && (await countApplied(tx, scope)) > MAX_APPLIED)
          throw appliedFull(`a project can have at most ${MAX_APPLIED} applied objects`);
        const renewed = removed.filter((name) => added.includes(name)).length;
        const done = { added: added.length - renewed, removed: removed.length - renewed };
        const detail = `${done.added} marked, ${done.removed} unmarked`;
        await audit.record(tx, { ...by, org_id, project_id, action: 'apply.mark', subject: kind, detail });
        return done;
      }),
    );
  }
}

const toView = ({ kind, name, applied_at, applied_by }: AppliedRow): AppliedObject => ({
  kind,
  name,
  applied_at: iso(applied_at),
  ...(applied_by !== null && { applied_by }),
});
