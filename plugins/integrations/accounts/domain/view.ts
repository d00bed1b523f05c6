import { iso } from '../../../../kernel/contracts/index.ts';
import type { AccountView } from '../generated/account.ts';
import { type AccountEntry, readClientGrant } from '../store/accounts.ts';

const parseList = (json: string): string[] => JSON.parse(json) as string[];

/** Returns an account for display, without its tokens. */
export function toView(row: AccountEntry, connect_url: string): AccountView {
  const [requested, scopes] = [parseList(row.scopes_asked), parseList(row.scopes)];
  const toTime = (ms: number | null) => (ms === null ? undefined : iso(ms));
  const optional = {
    reason: row.reason ?? undefined,
    expires_at: toTime(row.expires_at),
    renewed_at: toTime(row.renewed_at),
    last_used_at: toTime(row.last_used_at),
    last_used_by: row.last_used_by ?? undefined,
    last_error: row.last_error ?? undefined,
  };
  return {
    name: row.name,
    provider: row.provider,
    grant: readClientGrant(row)?.grant ?? 'authorization_code',
    account: { id: row.far_id, label: row.far_label },
    status: row.status,
    status_since: iso(row.status_at),
    granter: row.granter,
    scopes,
    scopes_missing: requested.filter((scope) => !scopes.includes(scope)),
    granted_at: iso(row.granted_at),
    renewal: row.renewable === 0 ? 'none' : row.expires_at === null ? 'unknown_lifetime' : 'automatic',
    connect_url,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional),
  };
}
