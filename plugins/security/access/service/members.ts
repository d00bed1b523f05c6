import { type Database, type Ids, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { Members, Membership } from '../contract.ts';
import { deriveName } from '../domain/names.ts';
import { isInvited } from '../store/invitations.ts';
import { membershipsOf } from '../store/members.ts';
import type { Directory } from './directory.ts';

type User = Parameters<Members['set']>[0];

/** How many numbered names are tried before a random suffix is used. */
const MAX_NUMBERED_NAMES = 9;

export class AccessMembers implements Members {
  readonly #deps: { database: Database; ids: Ids; directory: Directory };

  constructor(deps: { database: Database; ids: Ids; directory: Directory }) {
    this.#deps = deps;
  }

  async create(preferred_name: string): Promise<User> {
    const { directory, ids } = this.#deps;
    const base = deriveName(preferred_name);
    for (let count = 1; count <= MAX_NUMBERED_NAMES; count += 1) {
      const { made, user_id, name } = await directory.putUser(count === 1 ? base : `${base}-${count}`);
      if (made) return { user_id, name };
    }
    const { user_id, name } = await directory.putUser(`${base}-${ids.bytes(6).toString('hex')}`);
    return { user_id, name };
  }

  async rolesOf(user_id: string): Promise<Membership[]> {
    const rows = await membershipsOf(this.#deps.database, user_id);
    return rows.map(({ org_id, project_id, role }) => ({ org_id, project_id: project_id || null, role }));
  }

  isInvited(user_id: string): Promise<boolean> {
    const { database } = this.#deps;
    return isInvited(database, user_id, database.now());
  }

  async set(user: User, { org_id, project_id, role }: Membership, by: AuditSource): Promise<void> {
    await this.#deps.directory.putMember({ org_id, project_id: project_id ?? '' }, user, role, by);
  }

  async remove(
    user: User,
    { org_id, project_id }: Pick<Membership, 'org_id' | 'project_id'>,
    by: AuditSource,
  ): Promise<void> {
    try {
      await this.#deps.directory.removeMember({ org_id, project_id: project_id ?? '' }, user, by);
    } catch (error) {
      // The membership has already ended.
      if (!isServiceError(error, 'not_found')) throw error;
    }
  }
}
