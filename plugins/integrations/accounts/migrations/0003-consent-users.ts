import { migration } from '../../../../kernel/contracts/index.ts';

/** Who started to connect an account. Without it, one person could store rows without limit. */
const STATEMENTS = [
  'ALTER TABLE accounts_consents ADD COLUMN user_id {id}',
  'CREATE INDEX accounts_consents_user ON accounts_consents (user_id, expires_at)',
];

export const consentUsers = migration('0003-consent-users', STATEMENTS, { additive: true });
