import { migration } from '../../../../kernel/contracts/index.ts';

/** The secret from before a rotation: a digest or a sealed key, until when it counts, and when it was used last. */
export const oldSecrets = migration('0003-old-secrets', [
  'ALTER TABLE hooks_hooks ADD COLUMN old_digest {id}',
  'ALTER TABLE hooks_hooks ADD COLUMN old_key {blob}',
  'ALTER TABLE hooks_hooks ADD COLUMN old_until {ms}',
  'ALTER TABLE hooks_hooks ADD COLUMN old_used_at {ms}',
]);
