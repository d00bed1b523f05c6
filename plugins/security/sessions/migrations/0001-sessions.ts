import { migration } from '../../../../kernel/contracts/index.ts';

/* sessions_sessions: `session_id` is the digest of the cookie's value; the value itself is stored nowhere. */
export const sessionTables = migration('0001-sessions', [
  `CREATE TABLE sessions_sessions (
    session_id {id} NOT NULL PRIMARY KEY,
    token_id {id} NOT NULL,
    user_id {id} NOT NULL,
    user_name {id} NOT NULL,
    org_id {id},
    created_at {ms} NOT NULL,
    expires_at {ms} NOT NULL
  ){end}`,
  'CREATE INDEX sessions_sessions_expires ON sessions_sessions (expires_at)',
]);
