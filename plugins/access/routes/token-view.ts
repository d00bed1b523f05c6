import type { Access } from '../service/access.ts';
import type { NewToken } from '../store/tokens.ts';
import { userNames } from '../store/users.ts';
import { iso, name, object, projectRole, time } from './shapes.ts';

export const tokenMembers = {
  id: { type: 'string' },
  name,
  kind: { type: 'string', enum: ['user', 'agent'] },
  user: name,
  org: name,
  project: name,
  role: projectRole,
  created_at: time,
  expires_at: time,
  last_used_at: time,
} as const;

export const OPTIONAL = ['user', 'org', 'project', 'role', 'expires_at', 'last_used_at'];

export const tokenSchema = object(tokenMembers, OPTIONAL);

type Row = NewToken & { last_used_at?: number | null };

/** Tokens as they are shown: by names, without digests. Limits that a token has not are left out. */
export async function tokenViews({ database, scopes }: Access, rows: readonly Row[]) {
  const users = await userNames(
    database,
    rows.map((row) => row.user_id),
  );
  return Promise.all(
    rows.map(async (row) => ({
      id: row.token_id,
      name: row.name,
      kind: row.kind,
      ...(row.kind === 'user' ? { user: users.get(row.user_id) ?? '' } : {}),
      ...(row.org_id === null ? {} : { org: await scopes.orgName(row.org_id) }),
      ...(row.org_id === null || row.project_id === null
        ? {}
        : { project: (await scopes.names(row.org_id, row.project_id)).project }),
      ...(row.role === null ? {} : { role: row.role }),
      created_at: iso(row.created_at),
      ...(row.expires_at === null ? {} : { expires_at: iso(row.expires_at) }),
      ...(row.last_used_at == null ? {} : { last_used_at: iso(row.last_used_at) }),
    })),
  );
}
