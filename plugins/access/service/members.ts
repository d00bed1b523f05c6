import { type Database, type Ids, isServiceError } from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type { Members, Membership } from '../contract.ts';
import { nameLike } from '../domain/names.ts';
import { isInvited } from '../store/invitations.ts';
import { membershipsOf } from '../store/members.ts';
import type { Directory } from './directory.ts';

type User = Parameters<Members['set']>[0];

/** Names that are tried before one with random letters, which nobody has. */
const TRIES = 9;

export class AccessMembers implements Members {
  readonly #parts: { database: Database; ids: Ids; directory: Directory };

  constructor(parts: { database: Database; ids: Ids; directory: Directory }) {
    this.#parts = parts;
  }

  async create(wanted: string): Promise<User> {
    const { directory, ids } = this.#parts;
    const base = nameLike(wanted);
    for (let count = 1; count <= TRIES; count += 1) {
      const { made, user_id, name } = await directory.putUser(count === 1 ? base : `${base}-${count}`);
      if (made) return { user_id, name };
    }
    const { user_id, name } = await directory.putUser(`${base}-${ids.bytes(6).toString('hex')}`);
    return { user_id, name };
  }

  async rolesOf(user_id: string): Promise<Membership[]> {
    const rows = await membershipsOf(this.#parts.database, user_id);
    return rows.map(({ org_id, project_id, role }) => ({ org_id, project_id: project_id || null, role }));
  }

  isInvited(user_id: string): Promise<boolean> {
    const { database } = this.#parts;
    return isInvited(database, user_id, database.now());
  }

  async set(user: User, { org_id, project_id, role }: Membership, by: AuditSource): Promise<void> {
    await this.#parts.directory.putMember({ org_id, project_id: project_id ?? '' }, user, role, by);
  }

  async remove(
    user: User,
    { org_id, project_id }: Pick<Membership, 'org_id' | 'project_id'>,
    by: AuditSource,
  ): Promise<void> {
    try {
      await this.#parts.directory.removeMember({ org_id, project_id: project_id ?? '' }, user, by);
    } catch (error) {
      // Somebody else has ended it meanwhile.
      if (!isServiceError(error, 'not_found')) throw error;
    }
  }
}
