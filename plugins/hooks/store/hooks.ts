import { type NamedRow, NamedTable } from '../../resources/contract.ts';
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
  owner: string;
  /** Epoch ms by the database's clock. */
  set_at: number;
  secret_at: number;
}

export const hooks = new NamedTable<HookRow>({
  ...HOOK,
  table: 'hooks_hooks',
  id: 'hook_id',
  kept: ['owner'],
  replaced: ['mode', 'event_type', 'manifest', 'hmac', 'token_digest', 'signing_key', 'set_at', 'secret_at'],
  max: { count: MAX_HOOKS, full: HookErrors.hooksFull },
});
