import type { HookRow } from '../store/hooks.ts';

type OldSecret = Pick<HookRow, 'old_digest' | 'old_key' | 'old_until' | 'old_used_at'>;

export const NO_OLD_SECRET: OldSecret = { old_digest: null, old_key: null, old_until: null, old_used_at: null };

/** Returns the current secret of a hook as one that expires at a given time. */
export const toOldSecret = ({ token_digest, signing_key }: HookRow, old_until: number): OldSecret => ({
  old_digest: token_digest,
  old_key: signing_key,
  old_until,
  old_used_at: null,
});

/** Returns until when the old secret is valid; undefined when there is none or it has expired. */
export const validUntil = ({ old_until }: Pick<HookRow, 'old_until'>, now: number): number | undefined =>
  old_until !== null && old_until > now ? old_until : undefined;
