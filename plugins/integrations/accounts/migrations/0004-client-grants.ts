import { migration } from '../../../../kernel/contracts/index.ts';

/** The public part of the client of an account that needs no person, as JSON; null for one that a person granted. */
const STATEMENTS = ['ALTER TABLE accounts_accounts ADD COLUMN client_grant {text}'];

export const clientGrants = migration('0004-client-grants', STATEMENTS, { additive: true });
