import type { Database, Ids, Transaction } from '../../../kernel/contracts/index.ts';
import { type Audit, type AuditSource, OPERATOR } from '../../audit/contract.ts';
import { INVITATION_MS, MAX_PENDING, mayGiveRoles } from '../domain/invitation.ts';
import { AccessErrors } from '../errors.ts';
import { deleteInvitation, insertInvitation, invitationsOf, invitationTo } from '../store/invitations.ts';
import { type MemberKey, membershipsIn } from '../store/members.ts';
import type { InvitationRow } from '../store/models.ts';
import { userNames } from '../store/users.ts';

/** Expired ones that one invitation clears away. */
const CLEARED = 50;

export type Ending = 'accept' | 'decline' | 'withdraw' | 'expire';

/**
 * The invitations of an org, in transactions of callers that hold the org's row: so each ends once. What ends is deleted; the
 * audit keeps how it ended.
 */
export class PendingInvitations {
  readonly #deps: { database: Pick<Database, 'now'>; ids: Ids; audit: Audit };

  constructor(deps: { database: Pick<Database, 'now'>; ids: Ids; audit: Audit }) {
    this.#deps = deps;
  }

  isPending({ expires_at }: InvitationRow): boolean {
    return expires_at > this.#deps.database.now();
  }

  /** The one with this role: that which is pending already, or a new one in place of it. Throws `too_many_invitations`. */
  async put(tx: Transaction, key: MemberKey, role: InvitationRow['role'], by: AuditSource): Promise<InvitationRow> {
    const all = await invitationsOf(tx, key.org_id);
    const isOfKey = (one: InvitationRow) => one.project_id === key.project_id && one.user_id === key.user_id;
    const pending = all.filter((one) => this.isPending(one));
    const before = pending.find(isOfKey);
    if (before?.role === role) return before;
    const expired = all.filter((one) => !this.isPending(one));
    // Nothing of it may stand in the way of the new one, however many have expired.
    for (const one of expired.toSorted((a, b) => Number(isOfKey(b)) - Number(isOfKey(a))).slice(0, CLEARED))
      await this.end(tx, one, 'expire', OPERATOR);
    if (before) await deleteInvitation(tx, before.invitation_id);
    else if (pending.length >= MAX_PENDING)
      throw AccessErrors.tooManyInvitations(`${MAX_PENDING} invitations of this org are pending`);
    return this.#insert(tx, { ...key, role }, by, before ? `, in place of ${before.role}` : '');
  }

  async #insert(
    tx: Transaction,
    wanted: MemberKey & Pick<InvitationRow, 'role'>,
    by: AuditSource,
    more: string,
  ): Promise<InvitationRow> {
    const { database, ids } = this.#deps;
    const now = database.now();
    const times = { created_at: now, expires_at: now + INVITATION_MS };
    const row = { invitation_id: ids.next('inv'), ...wanted, invited_by: by.principal?.id ?? '', ...times };
    await insertInvitation(tx, row);
    await this.#audit(tx, row, 'create', by, more);
    return row;
  }

  /** A role that is given otherwise is not asked for any more. */
  async drop(tx: Transaction, key: MemberKey, by: AuditSource): Promise<void> {
    const found = await invitationTo(tx, key);
    if (found) await this.end(tx, found, this.isPending(found) ? 'withdraw' : 'expire', by);
  }

  /**
   * After somebody left a place or got a lower role there: what asked them in again, and what they asked and may ask no
   * more. An org (`project_id` `''`) includes its projects.
   */
  async dropAfterChange(tx: Transaction, { org_id, project_id, user_id }: MemberKey, by: AuditSource): Promise<void> {
    const held = await membershipsIn(tx, org_id, user_id);
    const inOrg = held.some((one) => one.project_id === '');
    for (const one of await invitationsOf(tx, org_id)) {
      const asked = one.user_id === user_id && (one.project_id === project_id || !inOrg);
      const asks = one.invited_by === user_id && !mayGiveRoles(held, one.project_id);
      if (asked || asks) await this.end(tx, one, this.isPending(one) ? 'withdraw' : 'expire', by);
    }
  }

  async end(tx: Transaction, row: InvitationRow, ending: Ending, by: AuditSource): Promise<void> {
    await deleteInvitation(tx, row.invitation_id);
    await this.#audit(tx, row, ending, by);
  }

  async #audit(
    tx: Transaction,
    { org_id, project_id, user_id, role }: InvitationRow,
    verb: Ending | 'create',
    { principal, request_id, ip }: AuditSource,
    more = '',
  ): Promise<void> {
    const subject = (await userNames(tx, [user_id])).get(user_id) ?? '';
    const what = { action: `invitation.${verb}`, subject, detail: `role ${role}${more}` };
    const where = { org_id, project_id: project_id === '' ? null : project_id };
    await this.#deps.audit.record(tx, { ...where, ...what, principal, request_id, ip });
  }
}
