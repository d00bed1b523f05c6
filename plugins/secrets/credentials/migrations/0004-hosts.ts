import { migration } from '../../../../kernel/contracts/index.ts';

/** `hosts` is a JSON list; null means that the credential can be sent anywhere. */
export const credentialHosts = migration(
  '0004-hosts',
  ['ALTER TABLE credentials_credentials ADD COLUMN hosts {text}'],
  {
    additive: true,
  },
);
