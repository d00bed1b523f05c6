import { lockable, migration } from '../../../../kernel/contracts/index.ts';

/*
 * accounts_accounts: `tokens` is sealed JSON, bound to the account and its epoch; the epoch grows with each new token.
 * `due_at` is when the service has something to do with it: renew, warn, end. Lists of scopes are JSON.
 * accounts_renewals: open intents to present a token; one for each account. `presented` counts how often it may have been.
 * accounts_consents: people on their way to a provider and back, by the digest of their `state`.
 * accounts_announcements: events about accounts, recorded with the change and put on the bus right after it.
 */
export const accountTables = migration('0001-accounts', [
  `CREATE TABLE accounts_accounts (
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    account_id {id} NOT NULL,
    provider {id} NOT NULL,
    far_id {name} NOT NULL,
    far_label {name} NOT NULL,
    status {word} NOT NULL,
    status_at {ms} NOT NULL,
    reason {text},
    granter_id {id} NOT NULL,
    granter {id} NOT NULL,
    scopes_asked {text} NOT NULL,
    scopes {text} NOT NULL,
    granted_at {ms} NOT NULL,
    renewed_at {ms},
    expires_at {ms},
    renewable {flag} NOT NULL,
    epoch {int} NOT NULL,
    tokens {blob} NOT NULL,
    due_at {ms},
    failures {int} NOT NULL,
    last_error {text},
    last_used_at {ms},
    last_used_by {id},
    checked_at {ms},
    PRIMARY KEY (project_id, name)
  ){end}`,
  lockable('accounts_accounts'),
  'CREATE UNIQUE INDEX accounts_accounts_newest ON accounts_accounts (project_id, account_id)',
  'CREATE INDEX accounts_accounts_due ON accounts_accounts (due_at)',
  'CREATE INDEX accounts_accounts_granter ON accounts_accounts (granter_id, org_id)',
  `CREATE TABLE accounts_renewals (
    account_id {id} NOT NULL PRIMARY KEY,
    project_id {id} NOT NULL,
    name {id} NOT NULL,
    org_id {id} NOT NULL,
    request_id {id} NOT NULL,
    presented {int} NOT NULL,
    written_at {ms} NOT NULL,
    until_at {ms} NOT NULL
  ){end}`,
  `CREATE TABLE accounts_consents (
    state_digest {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    org {id} NOT NULL,
    project_id {id} NOT NULL,
    project {id} NOT NULL,
    name {id} NOT NULL,
    provider {id} NOT NULL,
    session_id {id} NOT NULL,
    verifier {blob} NOT NULL,
    expires_at {ms} NOT NULL,
    used_at {ms}
  ){end}`,
  'CREATE INDEX accounts_consents_expires ON accounts_consents (expires_at)',
  `CREATE TABLE accounts_announcements (
    announcement_id {id} NOT NULL PRIMARY KEY,
    org_id {id} NOT NULL,
    project_id {id} NOT NULL,
    type {word} NOT NULL,
    name {id} NOT NULL,
    payload {text} NOT NULL
  ){end}`,
]);
