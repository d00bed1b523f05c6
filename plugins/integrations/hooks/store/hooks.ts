import type { Queries } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable } from '../../../platform/resources/contract.ts';
import { HOOK } from '../domain/names.ts';
import { HookErrors } from '../errors.ts';

/** More would be a program's mistake. */
export const MAX_HOOKS = 1000;

export interface HookRow extends NamedRow {
  hook_id: string;
  mode: 'token' | 'manifest' | 'hmac';
  event_type: string | null;
  manifest: string | null;
  /** JSON of `HmacSettings`. */
  hmac: string | null;
  token_digest: string | null;
  /** Sealed. */
  signing_key: Buffer | null;
  /** The token or the key from before a rotation, in the same forms. */
  old_digest: string | null;
  old_key: Buffer | null;
  /** When the old secret expires, and when a delivery last used it. */
  old_until: number | null;
  old_used_at: number | null;
  owner: string;
  /** Milliseconds since the epoch, by the database's clock. */
  set_at: number;
  secret_at: number;
}

export const hooks = new NamedTable<HookRow>({
  ...HOOK,
  table: 'hooks_hooks',
  id: 'hook_id',
  preserved: ['owner'],
  replaced: [
    ...(['mode', 'event_type', 'manifest', 'hmac', 'token_digest', 'signing_key', 'set_at', 'secret_at'] as const),
    ...(['old_digest', 'old_key', 'old_until', 'old_used_at'] as const),
  ],
  max: { count: MAX_HOOKS, full: HookErrors.hooksFull },
});

/** Notes that a delivery showed the old secret, unless one did so after `since`. */
export async function recordOldSecretUse(
  on: Pick<Queries, 'write'>,
  { hook_id, old_until }: Pick<HookRow, 'hook_id' | 'old_until'>,
  now: number,
  since: number,
): Promise<void> {
  await on.write(
    `UPDATE hooks_hooks SET old_used_at = ?
     WHERE hook_id = ? AND old_until = ? AND (old_used_at IS NULL OR old_used_at < ?)`,
    [now, hook_id, old_until, since],
  );
}
