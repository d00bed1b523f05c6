import { migration } from '../../../../kernel/contracts/index.ts';

/** When a value is no secret any more. Null: never. A server that does not know the column would look for values that are gone. */
export const expiryColumn = migration('0002-expiry', ['ALTER TABLE masking_runs ADD COLUMN expires_at {ms}']);
