import { type Database, Errors, isId, type Page, type Transaction } from '../../../../kernel/contracts/index.ts';
import { type AuditSource, OPERATOR } from '../../../platform/audit/contract.ts';
import { homeOf, mayGiveRoles, canAnswerInvitations } from '../domain/invitation.ts';
import type { Identity } from '../domain/identity.ts';
import { findInvitation, invitationTo, listInvitations } from '../store/invitations.ts';
import { membershipsIn, orgsOfUser } from '../store/members.ts';
import type { InvitationRow, Models, UserRow } from '../store/models.ts';
import { lockOrg } from '../store/orgs.ts';
import { findHomeOrg } from '../store/users.ts';
import type { Directory, MembershipScope } from './directory.ts';
import type { PendingInvitations } from './pending-invitations.ts';

export interface InvitationsDeps {
  models: Models;
  database: Database;
  directory: Directory;
  pending: PendingInvitations;
}

/** Invitations, and the answers of users. An invitation gives no rights before it is accepted. */
export class Invitations {
  readonly #deps: InvitationsDeps;

  constructor(deps: InvitationsDeps) {
    this.#deps = deps;
  }

  /** Lists the invitations of the caller. Throws `forbidden` for tokens that are too limited to answer them. */
  async listForCaller(identity: Identity, page: Page): Promise<InvitationRow[]> {
    await this.#assertCanAnswer(identity);
    const { models, database } = this.#deps;
    return listInvitations(models, { user_id: identity.principal.id }, { ...page, now: database.now() });
  }

  listOf({ org_id, project_id }: MembershipScope, page: Page): Promise<InvitationRow[]> {
    const { models, database } = this.#deps;
    return listInvitations(models, { org_id, project_id }, { ...page, now: database.now() });
  }

  /** Withdraws an invitation. Throws `not_found` when none is pending, or when the user does not exist. */
  async withdraw(
    scope: MembershipScope,
    user: Pick<UserRow, 'user_id' | 'name'> | undefined,
    by: AuditSource,
  ): Promise<void> {
    const key = { ...scope, user_id: user?.user_id ?? '' };
    await this.#answer(
      scope.org_id,
      (tx) => (user ? invitationTo(tx, key) : Promise.resolve(undefined)),
      async (tx, row) => this.#deps.pending.end(tx, row, 'withdraw', by),
    );
  }

  /** Makes the caller a member. Throws `forbidden`, and `not_found` unless the invitation is a pending one of the caller. */
  async accept(identity: Identity, invitation_id: string, by: AuditSource): Promise<InvitationRow> {
    return this.#answerAsCaller(identity, invitation_id, async (tx, row) => {
      await this.#deps.pending.end(tx, row, 'accept', withoutOrigin(by));
      await this.#deps.directory.grantRole(tx, row, row.role, by);
    });
  }

  /** Declines an invitation. Throws the same errors as `accept`. */
  async decline(identity: Identity, invitation_id: string, by: AuditSource): Promise<void> {
    await this.#answerAsCaller(identity, invitation_id, (tx, row) =>
      this.#deps.pending.end(tx, row, 'decline', withoutOrigin(by)),
    );
  }

  async #answerAsCaller(
    identity: Identity,
    invitation_id: string,
    work: (tx: Transaction, row: InvitationRow) => Promise<void>,
  ): Promise<InvitationRow> {
    await this.#assertCanAnswer(identity);
    const find = async (on: Pick<Transaction, 'read'>) => {
      const row = isId(invitation_id) ? await findInvitation(on, invitation_id) : undefined;
      return row?.user_id === identity.principal.id ? row : undefined;
    };
    const first_read = await find(this.#deps.database);
    const invitation =
      first_read ?? ((await this.#deps.database.catchUp()) ? await find(this.#deps.database) : undefined);
    if (!invitation) throw invitationNotFound();
    return this.#answer(invitation.org_id, find, work);
  }

  /** Locks the org first, so that exactly one of an acceptance, a withdrawal and any other end of an invitation wins. */
  async #answer(
    org_id: string,
    find: (tx: Transaction) => Promise<InvitationRow | undefined>,
    work: (tx: Transaction, row: InvitationRow) => Promise<void>,
  ): Promise<InvitationRow> {
    const { directory, pending } = this.#deps;
    const done = await directory.change(async (tx) => {
      await lockOrg(tx, org_id);
      const row = await find(tx);
      if (!row) throw invitationNotFound();
      // The transaction commits the end of the invitation, although the caller gets an error.
      if (!pending.isPending(row)) return pending.end(tx, row, 'expire', OPERATOR);
      if (!(await isStillAuthorized(tx, row))) return pending.end(tx, row, 'withdraw', OPERATOR);
      await work(tx, row);
      return row;
    });
    if (!done) throw invitationNotFound();
    return done;
  }

  async #assertCanAnswer({ principal, token }: Identity): Promise<void> {
    if (canAnswerInvitations({ token }, token.limits.org_id === null ? '' : await this.#homeOf(principal.id))) return;
    throw Errors.forbidden(
      `the token "${token.name}" is limited and cannot see or answer invitations; use one without limits, or one that is ` +
        'limited only to the org that added you first',
    );
  }

  async #homeOf(user_id: string): Promise<string> {
    const { database } = this.#deps;
    const [maker, orgs] = await Promise.all([findHomeOrg(database, user_id), orgsOfUser(database, user_id)]);
    return homeOf(maker, orgs);
  }
}

/** The org learns who answered, but not from where or with which token, because these do not belong to this org. */
const withoutOrigin = ({ principal, request_id }: AuditSource): AuditSource => ({
  principal: principal && { ...principal, token_id: '' },
  request_id,
  ip: '',
});

const invitationNotFound = () => Errors.notFound('there is no such invitation, or it has expired');

/** Checks, in the transaction, that the person who sent the invitation may still give roles. */
const isStillAuthorized = async (
  tx: Transaction,
  { org_id, project_id, invited_by }: InvitationRow,
): Promise<boolean> => mayGiveRoles(await membershipsIn(tx, org_id, invited_by), project_id);
