import type { Database, Ids, OrgRole, ProjectRole, Transaction } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
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
import type { InvitationRow, MemberRow, OrgRow, ProjectRow, UserRow } from '../store/models.ts';
import { ensureOrg, lockOrg } from '../store/orgs.ts';
import { ensureProject } from '../store/projects.ts';
import { revokeTokensOf } from '../store/tokens.ts';
import { ensureUser } from '../store/users.ts';
import type { Identities } from './identities.ts';
import type { PendingInvitations } from './pending-invitations.ts';

export interface DirectoryDeps {
  database: Database;
  ids: Ids;
  identities: Identities;
  observers: readonly MembershipObserver[];
  audit: Audit;
  pending: PendingInvitations;
}

/** The scope of a membership change; `project_id` is `''` for the org itself. */
export interface Place {
  org_id: string;
  project_id: string;
}

/** Orgs, projects and their members. Each change is one transaction and clears the identity cache. */
export class Directory {
  readonly #deps: DirectoryDeps;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** `made` is false when the org existed. The creator owns it; `as_owner` makes the user an owner in any case. */
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

  /** `made` is false when somebody has the name. */
  async putUser(name: string): Promise<UserRow & { made: boolean }> {
    return this.change((tx, now) => ensureUser(tx, this.#deps.ids, { name, home_org_id: '', now }));
  }

  /**
   * Adds a user, who is created when unknown, or changes a role. Who has an account elsewhere and is no member of this org
   * is invited. Throws `last_owner`, `too_many_invitations`.
   */
  async addMember(
    place: Place,
    name: string,
    role: OrgRole | ProjectRole,
    by: AuditSource,
  ): Promise<{ member: MemberRow; made: boolean } | { invitation: InvitationRow }> {
    return this.change(async (tx, now) => {
      const { org_id } = place;
      await lockOrg(tx, org_id);
      const user = await ensureUser(tx, this.#deps.ids, { name, home_org_id: org_id, now });
      const key = { ...place, user_id: user.user_id };
      if (!user.made && !(await isOfOrg(tx, user, org_id)))
        return { invitation: await this.#deps.pending.put(tx, key, role, by) };
      return this.#setMember(tx, key, { name, role }, by);
    });
  }

  /** Gives a user a role without asking. Throws `last_owner`. */
  async putMember(
    place: Place,
    user: Pick<UserRow, 'user_id' | 'name'>,
    role: OrgRole | ProjectRole,
    by: AuditSource,
  ): Promise<void> {
    await this.change(async (tx) => {
      await lockOrg(tx, place.org_id);
      await this.#setMember(tx, { ...place, user_id: user.user_id }, { name: user.name, role }, by);
    });
  }

  async #setMember(
    tx: Transaction,
    key: MemberKey,
    { name, role }: { name: string; role: MemberRow['role'] },
    by: AuditSource,
  ): Promise<{ member: MemberRow; made: boolean }> {
    const given = await this.give(tx, key, role, by);
    const { org_id, project_id } = key;
    await this.#audit(tx, by, { org_id, project_id, action: 'member.set', subject: name, detail: `role ${role}` });
    return given;
  }

  /** `made`: the membership is new. The caller holds the org's row, and writes the audit. Throws `last_owner`. */
  async give(
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
    else if (role !== 'owner') await this.#refuseLastOwner(tx, inOrg);
    const made = await this.#setRole(tx, key, role, by);
    return { member: (await readMember(tx, key))!, made };
  }

  /** Throws `not_found`, `last_owner`. Tokens limited to this scope are revoked with the membership. */
  async removeMember(place: Place, user: Pick<UserRow, 'user_id' | 'name'>, by: AuditSource): Promise<void> {
    const key = { ...place, user_id: user.user_id };
    await this.change(async (tx, now) => {
      await lockOrg(tx, place.org_id);
      if (!(await readMember(tx, key))) throw Errors.notFound(`"${user.name}" is not a member`);
      if (place.project_id === '') await this.#refuseLastOwner(tx, key);
      await deleteMemberships(tx, key);
      await revokeTokensOf(tx, key, now);
      await this.#deps.pending.dropAfterChange(tx, key, by);
      const left = { ...key, project_id: place.project_id === '' ? null : place.project_id };
      for (const observer of this.#deps.observers) await observer.onRemoved(tx, left);
      await this.#audit(tx, by, { ...place, action: 'member.remove', subject: user.name });
    });
  }

  async #refuseLastOwner(tx: Transaction, key: MemberKey): Promise<void> {
    const member = await readMember(tx, key);
    if (member?.role === 'owner' && (await countOwners(tx, key.org_id)) === 1)
      throw AccessErrors.lastOwner('this is the only owner of the org');
  }

  /** True when the membership is new. The caller holds the org's row. */
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
    done: Place & { action: string; subject: string; detail?: string },
  ): Promise<void> {
    const { org_id, action, subject, detail } = done;
    const project_id = done.project_id === '' ? null : done.project_id;
    return this.#deps.audit.record(tx, { org_id, project_id, action, subject, detail, principal, request_id, ip });
  }

  /** One transaction; what was read about callers before it is read again. */
  async change<T>(work: (tx: Transaction, now: number) => Promise<T>): Promise<T> {
    const { database, identities } = this.#deps;
    try {
      return await database.transaction((tx) => work(tx, database.now()));
    } finally {
      // Also after an error: a lost answer to COMMIT may hide a change.
      identities.forget();
    }
  }
}

/** Is the user a member of the org, or nowhere a member and made by this org? Everybody else has to be asked. */
async function isOfOrg(tx: Transaction, { user_id, home_org_id }: UserRow, org_id: string): Promise<boolean> {
  const orgs = await orgsOfUser(tx, user_id);
  return orgs.includes(org_id) || (orgs.length === 0 && home_org_id === org_id);
}
