import { migration } from '../../../../kernel/contracts/index.ts';

/** The JSON of a reference into a secret store; null if the value is here. */
const SOURCE = 'ALTER TABLE secrets_secrets ADD COLUMN source {text}';

export const secretSources = migration('0003-sources', [SOURCE], { additive: true });
