import { type HttpAddress, iso } from '../../../../kernel/contracts/index.ts';
import { validUntil } from '../domain/old-secret.ts';
import type { HmacSettings } from '../contract.ts';
import type { Hook } from '../generated/hook.ts';
import type { HookRow } from '../store/hooks.ts';

/** The address for deliveries: the public URL, otherwise the address of this server. */
export const ingestUrl = (address: HttpAddress, hook_id: string): string =>
  `${address.public_url() ?? address.base_url()}/api/v1/hooks/${hook_id}`;

/** The visible form of a hook; `secret` only in the answer that created it. */
export function renderHook(address: HttpAddress, row: HookRow, now: number, secret?: string): Hook {
  const until = validUntil(row, now);
  return {
    name: row.name,
    mode: row.mode,
    event_type: row.event_type ?? undefined,
    manifest: row.manifest ?? undefined,
    hmac: row.hmac === null ? undefined : (JSON.parse(row.hmac) as HmacSettings),
    ingest_url: ingestUrl(address, row.hook_id),
    secret,
    owner: row.owner || undefined,
    set_at: iso(row.set_at),
    secret_at: iso(row.secret_at),
    old_secret_until: until === undefined ? undefined : iso(until),
    last_old_secret_use: until === undefined || row.old_used_at === null ? undefined : iso(row.old_used_at),
  };
}
