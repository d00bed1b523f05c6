import { migration } from '../../../../kernel/contracts/index.ts';

/** A JSON list; null means that the credential can be sent anywhere. */
const HOSTS = 'ALTER TABLE credentials_credentials ADD COLUMN hosts {text}';

export const credentialHosts = migration('0004-hosts', [HOSTS], { additive: true });
