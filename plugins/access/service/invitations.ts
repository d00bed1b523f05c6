import { type Database, Errors, isId, type Page, type Transaction } from '../../../kernel/contracts/index.ts';
import { type AuditSource, OPERATOR } from '../../audit/contract.ts';
import { homeOf, mayGiveRoles, speaksForUser } from '../domain/invitation.ts';
import type { Identity } from '../domain/identity.ts';
import { findInvitation, invitationTo, listInvitations } from '../store/invitations.ts';
import { membershipsIn, orgsOfUser } from '../store/members.ts';
import type { InvitationRow, Models, UserRow } from '../store/models.ts';
import { lockOrg } from '../store/orgs.ts';
import { makerOf } from '../store/users.ts';
import type { Directory, Place } from './directory.ts';
import type { PendingInvitations } from './pending-invitations.ts';

export interface InvitationsDeps {
  models: Models;
  database: Database;
  directory: Directory;
  pending: PendingInvitations;
}

/** What users are asked, and how they answer. Whoever was asked has no right anywhere before the answer. */
export class Invitations {
  readonly #deps: InvitationsDeps;

  constructor(deps: InvitationsDeps) {
    this.#deps = deps;
  }

  /** Those to the caller. Throws `forbidden` for tokens that are too narrow to answer. */
  async listOwn(identity: Identity, page: Page): Promise<InvitationRow[]> {
    await this.#requireWhole(identity);
    const { models, database } = this.#deps;
    return listInvitations(models, { user_id: identity.principal.id }, { ...page, now: database.now() });
  }

  listOf({ org_id, project_id }: Place, page: Page): Promise<InvitationRow[]> {
    const { models, database } = this.#deps;
    return listInvitations(models, { org_id, project_id }, { ...page, now: database.now() });
  }

  /** Throws `not_found` when none is pending; to a user that does not exist, too. */
  async withdraw(place: Place, user: Pick<UserRow, 'user_id' | 'name'> | undefined, by: AuditSource): Promise<void> {
    const key = { ...place, user_id: user?.user_id ?? '' };
    await this.#answer(
      place.org_id,
      (tx) => (user ? invitationTo(tx, key) : Promise.resolve(undefined)),
      async (tx, row) => this.#deps.pending.end(tx, row, 'withdraw', by),
    );
  }

  /** Makes the caller a member. Throws `forbidden`, and `not_found` for whatever is not pending to the caller. */
  async accept(identity: Identity, invitation_id: string, by: AuditSource): Promise<InvitationRow> {
    return this.#answerOwn(identity, invitation_id, async (tx, row) => {
      await this.#deps.pending.end(tx, row, 'accept', unlocated(by));
      await this.#deps.directory.give(tx, row, row.role, by);
    });
  }

  /** Throws like `accept`. */
  async decline(identity: Identity, invitation_id: string, by: AuditSource): Promise<void> {
    await this.#answerOwn(identity, invitation_id, (tx, row) =>
      this.#deps.pending.end(tx, row, 'decline', unlocated(by)),
    );
  }

  async #answerOwn(
    identity: Identity,
    invitation_id: string,
    work: (tx: Transaction, row: InvitationRow) => Promise<void>,
  ): Promise<InvitationRow> {
    await this.#requireWhole(identity);
    const find = async (on: Pick<Transaction, 'read'>) => {
      const row = isId(invitation_id) ? await findInvitation(on, invitation_id) : undefined;
      return row?.user_id === identity.principal.id ? row : undefined;
    };
    const seen = await find(this.#deps.database);
    const known = seen ?? ((await this.#deps.database.catchUp()) ? await find(this.#deps.database) : undefined);
    if (!known) throw over();
    return this.#answer(known.org_id, find, work);
  }

  /** Holds the org while it looks: of an acceptance, a withdrawal and whatever else ends it, one is the first. */
  async #answer(
    org_id: string,
    find: (tx: Transaction) => Promise<InvitationRow | undefined>,
    work: (tx: Transaction, row: InvitationRow) => Promise<void>,
  ): Promise<InvitationRow> {
    const { directory, pending } = this.#deps;
    const done = await directory.change(async (tx) => {
      await lockOrg(tx, org_id);
      const row = await find(tx);
      if (!row) throw over();
      // Its end is kept, though the answer is that it is over.
      if (!pending.isPending(row)) return pending.end(tx, row, 'expire', OPERATOR);
      if (!(await isFounded(tx, row))) return pending.end(tx, row, 'withdraw', OPERATOR);
      await work(tx, row);
      return row;
    });
    if (!done) throw over();
    return done;
  }

  async #requireWhole({ principal, token }: Identity): Promise<void> {
    if (speaksForUser({ token }, token.limits.org_id === null ? '' : await this.#homeOf(principal.id))) return;
    throw Errors.forbidden(
      `the token "${token.name}" is limited and cannot see or answer invitations; use one without limits, or one that is ` +
        'limited only to the org that added you first',
    );
  }

  async #homeOf(user_id: string): Promise<string> {
    const { database } = this.#deps;
    const [maker, orgs] = await Promise.all([makerOf(database, user_id), orgsOfUser(database, user_id)]);
    return homeOf(maker, orgs);
  }
}

/** The org learns who answered, and nothing of where and with which token: neither is one of this org. */
const unlocated = ({ principal, request_id }: AuditSource): AuditSource => ({
  principal: principal && { ...principal, token_id: '' },
  request_id,
  ip: '',
});

const over = () => Errors.notFound('there is no such invitation, or it is over');

/** Who asks must still be one who may: here, where no change of roles comes between. */
const isFounded = async (tx: Transaction, { org_id, project_id, invited_by }: InvitationRow): Promise<boolean> =>
  mayGiveRoles(await membershipsIn(tx, org_id, invited_by), project_id);
