import type { HttpAddress } from '../../../kernel/contracts/index.ts';
import type { HmacSettings } from '../contract.ts';
import type { Hook } from '../generated/hook.ts';
import type { HookRow } from '../store/hook-table.ts';

/** Where a far end delivers to: the address that people know, else the one this server listens on. */
export const ingestUrl = (address: HttpAddress, hook_id: string): string =>
  `${address.public_url() ?? address.base_url()}/api/v1/hooks/${hook_id}`;

const time = (at: number): string => new Date(at).toISOString();

/** A hook as everybody may see it; `secret` only in the answer that made it. */
export function renderHook(address: HttpAddress, row: HookRow, secret?: string): Hook {
  return {
    name: row.name,
    mode: row.mode,
    ...(row.event_type === null ? {} : { event_type: row.event_type }),
    ...(row.manifest === null ? {} : { manifest: row.manifest }),
    ...(row.hmac === null ? {} : { hmac: JSON.parse(row.hmac) as HmacSettings }),
    ingest_url: ingestUrl(address, row.hook_id),
    ...(secret === undefined ? {} : { secret }),
    ...(row.owner === '' ? {} : { owner: row.owner }),
    set_at: time(row.set_at),
    secret_at: time(row.secret_at),
  };
}
