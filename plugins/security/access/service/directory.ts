import type { Database, Ids, OrgRole, ProjectRole, Transaction } from '../../../../kernel/contracts/index.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import type { MembershipObserver } from '../contract.ts';
import { AccessErrors } from '../errors.ts';
import {
  countOwners,
  deleteMemberships,
  insertMember,
  type MemberKey,
  orgsOfUser,
  readMember,
  setMemberRole,
} from '../store/members.ts';
import type { InvitationRow, MemberRow, OrgRow, ProjectRow, TokenRow, UserRow } from '../store/models.ts';
import { ensureOrg, lockOrg } from '../store/orgs.ts';
import { ensureProject } from '../store/projects.ts';
import { revokeTokensOf } from '../store/tokens.ts';
import { ensureUser } from '../store/users.ts';
import type { Identities } from './identities.ts';
import type { PendingInvitations } from './pending-invitations.ts';
import type { Tokens } from './tokens.ts';

export interface DirectoryDeps {
  database: Database;
  ids: Ids;
  identities: Identities;
  observers: readonly MembershipObserver[];
  audit: Audit;
  pending: PendingInvitations;
  tokens: Pick<Tokens, 'revokeMadeBy'>;
}

/** The scope of a membership change; `project_id` is `''` for the org itself. */
export interface MembershipScope {
  org_id: string;
  project_id: string;
}

/** Orgs, projects and their members. Each change is one transaction and clears the identity cache. */
export class Directory {
  readonly #deps: DirectoryDeps;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an org if it does not exist; `made` is true if it did not. The creator becomes its owner. With `as_owner`, the user
   * becomes an owner in any case.
   */
  async putOrg(
    name: string,
    user: { user_id: string; name: string },
    by: AuditSource,
    as_owner = false,
  ): Promise<OrgRow & { made: boolean }> {
    return this.change(async (tx, now) => {
      const org = await ensureOrg(tx, this.#deps.ids, name, now);
      if (!org.made && !as_owner) return org;
      await lockOrg(tx, org.org_id);
      const key = { org_id: org.org_id, project_id: '', user_id: user.user_id };
      const before = await readMember(tx, key);
      await this.#setRole(tx, key, 'owner', by);
      if (org.made) await this.#audit(tx, by, { ...key, action: 'org.create', subject: name });
      else if (before?.role !== 'owner')
        await this.#audit(tx, by, { ...key, action: 'member.set', subject: user.name, detail: 'role owner' });
      return org;
    });
  }

  async putProject(org_id: string, name: string, by: AuditSource): Promise<ProjectRow & { made: boolean }> {
    return this.change(async (tx, now) => {
      const project = await ensureProject(tx, this.#deps.ids, { org_id, name, now });
      if (project.made) await this.#audit(tx, by, { org_id, project_id: '', action: 'project.create', subject: name });
      return project;
    });
  }

  /** Creates a user; `made` is false when the name exists. */
  async putUser(name: string): Promise<UserRow & { made: boolean }> {
    return this.change((tx, now) => ensureUser(tx, this.#deps.ids, { name, home_org_id: '', now }));
  }

  /**
   * Adds a user, who is created if necessary, or changes a role. A user who has an account elsewhere and is not a member of this
   * org is invited instead. Throws `last_owner` or `too_many_invitations`.
   */
  async addMember(
    scope: MembershipScope,
    name: string,
    role: OrgRole | ProjectRole,
    by: AuditSource,
  ): Promise<{ member: MemberRow; made: boolean } | { invitation: InvitationRow }> {
    return this.change(async (tx, now) => {
      const { org_id } = scope;
      await lockOrg(tx, org_id);
      const user = await ensureUser(tx, this.#deps.ids, { name, home_org_id: org_id, now });
      const key = { ...scope, user_id: user.user_id };
      if (!user.made && !(await isOfOrg(tx, user, org_id)))
        return { invitation: await this.#deps.pending.put(tx, key, role, by) };
      return this.#setMember(tx, key, { name, role }, by);
    });
  }

  /** Gives a user a role without an invitation. Throws `last_owner`. */
  async putMember(
    scope: MembershipScope,
    user: Pick<UserRow, 'user_id' | 'name'>,
    role: OrgRole | ProjectRole,
    by: AuditSource,
  ): Promise<void> {
    await this.change(async (tx) => {
      await lockOrg(tx, scope.org_id);
      await this.#setMember(tx, { ...scope, user_id: user.user_id }, { name: user.name, role }, by);
    });
  }

  async #setMember(
    tx: Transaction,
    key: MemberKey,
    { name, role }: { name: string; role: MemberRow['role'] },
    by: AuditSource,
  ): Promise<{ member: MemberRow; made: boolean }> {
    const granted = await this.grantRole(tx, key, role, by);
    const { org_id, project_id } = key;
    await this.#audit(tx, by, { org_id, project_id, action: 'member.set', subject: name, detail: `role ${role}` });
    return granted;
  }

  /**
   * Gives a role; `made` is true if the membership is new. The caller must have locked the org's row, and writes the audit
   * entry. Throws `last_owner`.
   */
  async grantRole(
    tx: Transaction,
    { org_id, project_id, user_id }: MemberKey,
    role: MemberRow['role'],
    by: AuditSource,
  ): Promise<{ member: MemberRow; made: boolean }> {
    const [key, inOrg] = [
      { org_id, project_id, user_id },
      { org_id, project_id: '', user_id },
    ];
    const now = this.#deps.database.now();
    if (project_id !== '') await insertMember(tx, this.#deps.ids, { ...inOrg, role: 'member', now });
    else if (role !== 'owner') await this.#assertNotLastOwner(tx, inOrg);
    const made = await this.#setRole(tx, key, role, by);
    return { member: (await readMember(tx, key))!, made };
  }

  /**
   * Removes a member, and revokes the member's tokens that are limited to this scope. When a member leaves the org, the tokens
   * that they created for agents and others are revoked too, unless `keep_minted` is set. Returns those. Throws `not_found` or
   * `last_owner`.
   */
  async removeMember(
    scope: MembershipScope,
    user: Pick<UserRow, 'user_id' | 'name'>,
    by: AuditSource,
    { keep_minted = false } = {},
  ): Promise<TokenRow[]> {
    const key = { ...scope, user_id: user.user_id };
    return this.change(async (tx, now) => {
      await lockOrg(tx, scope.org_id);
      if (!(await readMember(tx, key))) throw Errors.notFound(`"${user.name}" is not a member`);
      if (scope.project_id === '') await this.#assertNotLastOwner(tx, key);
      await deleteMemberships(tx, key);
      await revokeTokensOf(tx, key, now);
      const revokes = scope.project_id === '' && !keep_minted;
      const revoked = revokes ? await this.#deps.tokens.revokeMadeBy(tx, { ...key, name: user.name }, by) : [];
      await this.#deps.pending.dropAfterChange(tx, key, by);
      const membership = { ...key, project_id: scope.project_id === '' ? null : scope.project_id };
      for (const observer of this.#deps.observers) await observer.onRemoved(tx, membership);
      await this.#audit(tx, by, { ...scope, action: 'member.remove', subject: user.name });
      return revoked;
    });
  }

  async #assertNotLastOwner(tx: Transaction, key: MemberKey): Promise<void> {
    const member = await readMember(tx, key);
    if (member?.role === 'owner' && (await countOwners(tx, key.org_id)) === 1)
      throw AccessErrors.lastOwner('this is the only owner of the org');
  }

  /** Sets a role. Returns true when the membership is new. The caller must have locked the org's row. */
  async #setRole(tx: Transaction, key: MemberKey, role: MemberRow['role'], by: AuditSource): Promise<boolean> {
    const { ids, database, pending } = this.#deps;
    await pending.drop(tx, key, by);
    if (await insertMember(tx, ids, { ...key, role, now: database.now() })) return true;
    await setMemberRole(tx, key, role);
    await pending.dropAfterChange(tx, key, by);
    return false;
  }

  /** `project_id` is `''` for the org itself, as everywhere in this plugin. */
  #audit(
    tx: Transaction,
    { principal, request_id, ip }: AuditSource,
    done: MembershipScope & { action: string; subject: string; detail?: string },
  ): Promise<void> {
    const { org_id, action, subject, detail } = done;
    const project_id = done.project_id === '' ? null : done.project_id;
    return this.#deps.audit.record(tx, { org_id, project_id, action, subject, detail, principal, request_id, ip });
  }

  /** Runs one transaction, and drops everything that was cached about callers. */
  async change<T>(work: (tx: Transaction, now: number) => Promise<T>): Promise<T> {
    const { database, identities } = this.#deps;
    try {
      return await database.transaction((tx) => work(tx, database.now()));
    } finally {
      // This happens after an error too, because a lost answer to COMMIT may hide a change.
      identities.invalidate();
    }
  }
}

/** Tells whether the org may add a user directly: a member, or a user without an org whom this org created. */
async function isOfOrg(tx: Transaction, { user_id, home_org_id }: UserRow, org_id: string): Promise<boolean> {
  const orgs = await orgsOfUser(tx, user_id);
  return orgs.includes(org_id) || (orgs.length === 0 && home_org_id === org_id);
}
