import { migration } from '../../../../kernel/contracts/index.ts';

/** The JSON of a reference into a secret store, which has the secret field; null if the field is sealed here. */
const SOURCE = 'ALTER TABLE credentials_credentials ADD COLUMN source {text}';

export const credentialSources = migration('0005-sources', [SOURCE], { additive: true });
