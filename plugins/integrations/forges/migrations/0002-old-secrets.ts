import { migration } from '../../../../kernel/contracts/index.ts';

/** The secret from before a rotation (sealed), until when it counts, and when it was used last. */
export const oldSecrets = migration('0002-old-secrets', [
  'ALTER TABLE forges_webhooks ADD COLUMN old_secret {blob}',
  'ALTER TABLE forges_webhooks ADD COLUMN old_until {ms}',
  'ALTER TABLE forges_webhooks ADD COLUMN old_used_at {ms}',
]);
