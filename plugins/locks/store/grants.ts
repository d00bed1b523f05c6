import type { Queries } from '../../../kernel/contracts/index.ts';
import type { LeaseScope } from '../contract.ts';

/** A ticket whose owner is to be told that the lease is his. */
export interface GrantRow extends LeaseScope {
  group_key: string;
  ticket: number;
  name: string;
  run_id: string;
  owner_kind: string;
  owner_id: string;
  fence: number | null;
  group_fence: number;
}

/** Those that have waited longest, at most `limit`. */
export const readGrants = (on: Pick<Queries, 'read'>, limit: number): Promise<GrantRow[]> =>
  on.read<GrantRow>(
    `SELECT t.org_id, t.project_id, t.group_key, t.ticket, g.name, t.run_id, t.owner_kind, t.owner_id, t.fence,
       g.fence AS group_fence
     FROM locks_tickets t JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
     WHERE t.to_tell IS NOT NULL ORDER BY t.to_tell, t.ticket LIMIT ${Math.trunc(limit)}`,
  );
