import type { HookRow } from '../store/hooks.ts';

type OldSecret = Pick<HookRow, 'old_digest' | 'old_key' | 'old_until' | 'old_used_at'>;

export const NO_OLD_SECRET: OldSecret = { old_digest: null, old_key: null, old_until: null, old_used_at: null };

/** The present secret of a hook, as one that counts until then. */
export const asOld = ({ token_digest, signing_key }: HookRow, old_until: number): OldSecret => ({
  old_digest: token_digest,
  old_key: signing_key,
  old_until,
  old_used_at: null,
});

/** Until when the old secret still counts; undefined without one, and after that. */
export const countsUntil = ({ old_until }: Pick<HookRow, 'old_until'>, now: number): number | undefined =>
  old_until !== null && old_until > now ? old_until : undefined;
