import { migration } from '../../../../kernel/contracts/index.ts';

/** The token that moved a token's end last, or the user if it was a session without a token; `''` if its creator did, or nobody. */
export const renewedBy = migration('0005-renewed-by', [
  "ALTER TABLE access_tokens ADD COLUMN renewed_by {id} NOT NULL DEFAULT ''",
  'CREATE INDEX access_tokens_renewed ON access_tokens (renewed_by, token_id)',
]);
