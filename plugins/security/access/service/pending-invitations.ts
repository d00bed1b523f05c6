import type { Database, Ids, Transaction } from '../../../../kernel/contracts/index.ts';
import { type Audit, type AuditSource, OPERATOR } from '../../../platform/audit/contract.ts';
import { INVITATION_MS, MAX_PENDING, mayGiveRoles } from '../domain/invitation.ts';
import { AccessErrors } from '../errors.ts';
import { deleteInvitation, insertInvitation, invitationsOf, invitationTo } from '../store/invitations.ts';
import { type MemberKey, membershipsIn } from '../store/members.ts';
import type { InvitationRow } from '../store/models.ts';
import { userNames } from '../store/users.ts';

/** How many expired invitations are cleaned up when one is created. */
const MAX_CLEARED = 50;

export type Ending = 'accept' | 'decline' | 'withdraw' | 'expire';

/**
 * The pending invitations of an org. Callers lock the org's row in their transaction, so that each invitation ends once. An
 * invitation that has ended is deleted, and the audit records how it ended.
 */
export class PendingInvitations {
  readonly #deps: { database: Pick<Database, 'now'>; ids: Ids; audit: Audit };

  constructor(deps: { database: Pick<Database, 'now'>; ids: Ids; audit: Audit }) {
    this.#deps = deps;
  }

  isPending({ expires_at }: InvitationRow): boolean {
    return expires_at > this.#deps.database.now();
  }

  /** Returns the pending invitation with this role, or replaces it by a new one. Throws `too_many_invitations`. */
  async put(tx: Transaction, key: MemberKey, role: InvitationRow['role'], by: AuditSource): Promise<InvitationRow> {
    const all = await invitationsOf(tx, key.org_id);
    const isOfKey = (one: InvitationRow) => one.project_id === key.project_id && one.user_id === key.user_id;
    const pending = all.filter((one) => this.isPending(one));
    const before = pending.find(isOfKey);
    if (before?.role === role) return before;
    const expired = all.filter((one) => !this.isPending(one));
    // Expired invitations of the same user come first, so that they never block the new one.
    for (const invitation of expired.toSorted((a, b) => Number(isOfKey(b)) - Number(isOfKey(a))).slice(0, MAX_CLEARED))
      await this.end(tx, invitation, 'expire', OPERATOR);
    if (before) await deleteInvitation(tx, before.invitation_id);
    else if (pending.length >= MAX_PENDING)
      throw AccessErrors.tooManyInvitations(`${MAX_PENDING} invitations of this org are pending`);
    return this.#insert(tx, { ...key, role }, by, before ? `, instead of ${before.role}` : '');
  }

  async #insert(
    tx: Transaction,
    invitation: MemberKey & Pick<InvitationRow, 'role'>,
    by: AuditSource,
    more: string,
  ): Promise<InvitationRow> {
    const { database, ids } = this.#deps;
    const now = database.now();
    const times = { created_at: now, expires_at: now + INVITATION_MS };
    const row = { invitation_id: ids.next('inv'), ...invitation, invited_by: by.principal?.id ?? '', ...times };
    await insertInvitation(tx, row);
    await this.#audit(tx, row, 'create', by, more);
    return row;
  }

  /** Ends the invitation of a user who has got the role in another way. */
  async drop(tx: Transaction, key: MemberKey, by: AuditSource): Promise<void> {
    const existing = await invitationTo(tx, key);
    if (existing) await this.end(tx, existing, this.isPending(existing) ? 'withdraw' : 'expire', by);
  }

  /**
   * Ends invitations after somebody has left or got a lower role: those that would let them in again, and those that they have
   * sent and may not send any more. An org (`project_id` `''`) includes its projects.
   */
  async dropAfterChange(tx: Transaction, { org_id, project_id, user_id }: MemberKey, by: AuditSource): Promise<void> {
    const memberships = await membershipsIn(tx, org_id, user_id);
    const inOrg = memberships.some((one) => one.project_id === '');
    for (const invitation of await invitationsOf(tx, org_id)) {
      const is_invited = invitation.user_id === user_id && (invitation.project_id === project_id || !inOrg);
      const is_inviter = invitation.invited_by === user_id && !mayGiveRoles(memberships, invitation.project_id);
      if (is_invited || is_inviter)
        await this.end(tx, invitation, this.isPending(invitation) ? 'withdraw' : 'expire', by);
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
