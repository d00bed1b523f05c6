import { lockable, migration } from '../../../../kernel/contracts/index.ts';

/** The token or the session that made a token; `''` for tokens of the operator, and of before. */
export const mintedBy = migration('0003-minted-by', [
  "ALTER TABLE access_tokens ADD COLUMN minted_by {id} NOT NULL DEFAULT ''",
  lockable('access_tokens'),
  'CREATE INDEX access_tokens_minted ON access_tokens (minted_by, token_id)',
]);
