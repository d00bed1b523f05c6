import { type Ids, iso, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { Status } from '../domain/status.ts';
import { type AccountChange, type AccountRow, changeAccount } from '../store/accounts.ts';
import { insertAnnouncement } from '../store/announcements.ts';

export interface TransitionDeps {
  ids: Ids;
  audit: Pick<Audit, 'record'>;
  /** Called after a commit that left an announcement or changed what is due. */
  changed(): void;
}

/** The source of audit entries for changes that the service makes itself. */
const SERVICE: AuditSource = Object.freeze({ principal: null, request_id: '', ip: '' });

/** Statuses that end the use of an account. */
type UnusableStatus = Extract<Status, 'needs_reauth' | 'in_doubt' | 'disabled'>;

/** Ends the use of an account, with an audit entry and an event in one transaction. The caller has locked the row. */
export async function endUse(
  tx: Transaction,
  deps: TransitionDeps,
  row: AccountRow,
  change: { status: UnusableStatus; reason: string; now: number; by?: AuditSource; more?: AccountChange },
): Promise<void> {
  const { status, reason, now, by = SERVICE, more = {} } = change;
  await changeAccount(tx, row, { status, status_at: now, reason, due_at: null, ...more });
  const { org_id, project_id, name: subject } = row;
  await deps.audit.record(tx, { ...by, org_id, project_id, action: `account.${status}`, subject, detail: reason });
  await announce(tx, deps, { ...row, status, status_at: now }, { type: `svc.account.${status}`, reason });
}

/** Adds an event about the account to the outbox. The event contains nothing secret. */
export async function announce(
  tx: Transaction,
  { ids, changed }: Pick<TransitionDeps, 'ids' | 'changed'>,
  row: AccountRow,
  { type, ...more }: { type: string; [member: string]: string },
): Promise<void> {
  const { org_id, project_id, name, provider, far_id: id, far_label: label, status, status_at, granter } = row;
  const ends = row.expires_at === null ? {} : { expires_at: iso(row.expires_at) };
  const payload = {
    account: name,
    provider,
    far: { id, label },
    status,
    since: iso(status_at),
    granter,
    ...ends,
    ...more,
  };
  const announcement_id = ids.next('ann');
  await insertAnnouncement(tx, { announcement_id, org_id, project_id, type, name, payload: JSON.stringify(payload) });
  tx.afterCommit(changed);
}
