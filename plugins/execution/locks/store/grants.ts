import { afterRow, type Queries } from '../../../../kernel/contracts/index.ts';
import type { LeaseScope } from '../contract.ts';

/** A ticket whose owner must be notified that it holds the lease. */
export interface GrantRow extends LeaseScope {
  group_key: string;
  ticket: number;
  to_tell: number;
  name: string;
  run_id: string;
  owner_kind: string;
  owner_id: string;
  fence: number | null;
  group_fence: number;
  untrusted: number | null;
}

const ORDER = ['to_tell', 'project_id', 'group_key', 'ticket'] as const;

/** Returns the grants that have waited longest, starting after one. */
export function readGrants(on: Pick<Queries, 'read'>, after: GrantRow | undefined, limit: number): Promise<GrantRow[]> {
  const { condition, params } = afterRow(ORDER, after, 't.');
  return on.read<GrantRow>(
    `SELECT t.org_id, t.project_id, t.group_key, t.ticket, t.to_tell, g.name, t.run_id, t.owner_kind, t.owner_id, t.fence,
       g.fence AS group_fence, g.untrusted
     FROM locks_tickets t JOIN locks_groups g ON g.project_id = t.project_id AND g.group_key = t.group_key
     WHERE t.to_tell IS NOT NULL AND ${condition}
     ORDER BY ${ORDER.map((column) => `t.${column}`).join(', ')} LIMIT ${Math.trunc(limit)}`,
    params,
  );
}
