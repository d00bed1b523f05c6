import { iso } from '../../../kernel/contracts/index.ts';
import type { Access } from './service/access.ts';
import type { NewToken } from './store/tokens.ts';
import { userNames } from './store/users.ts';

/** How many tokens of each kind one answer lists. The rest is only counted. */
export const MAX_LISTED = 200;

type Row = NewToken & { last_used_at?: number | null };

const time = (ms: number | null | undefined) => (ms == null ? undefined : iso(ms));

/** Formats tokens with names instead of ids, and without their digests. Limits that do not apply are left out. */
export async function tokenViews({ database, scopes }: Access, rows: readonly Row[]) {
  const user_ids = rows.map((row) => row.user_id);
  const users = await userNames(database, user_ids);
  return Promise.all(
    rows.map(async ({ org_id, project_id, ...row }) => ({
      id: row.token_id,
      name: row.name,
      kind: row.kind,
      user: row.kind === 'user' ? (users.get(row.user_id) ?? '') : undefined,
      org: org_id === null ? undefined : await scopes.orgName(org_id),
      project: org_id === null || project_id === null ? undefined : (await scopes.names(org_id, project_id)).project,
      role: row.role ?? undefined,
      created_at: iso(row.created_at),
      expires_at: time(row.expires_at),
      last_used_at: time(row.last_used_at),
    })),
  );
}
