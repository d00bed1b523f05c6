import { migration } from '../../../../kernel/contracts/index.ts';

const column = (definition: string): string => `ALTER TABLE sessions_sessions ADD COLUMN ${definition}`;

/*
 * sessions_sessions: `session_id` is an id from here on; rows of before have no cookie and end by themselves. `token_id`
 * is '' where no token stands behind the session. `seen` and `issued` are numbers of its cookies: the newest that a
 * request had, and the newest that was given out.
 * sessions_cookies, sessions_links: `digest` is that of the cookie's value, of the link's code; they are stored nowhere.
 */
export const cookieTables = migration('0002-cookies', [
  column("signed_in_by {word} NOT NULL DEFAULT 'token'"),
  column("family {word} NOT NULL DEFAULT ''"),
  column('browser {name}'),
  column('last_seen_at {ms} NOT NULL DEFAULT 0'),
  column('seen {int} NOT NULL DEFAULT 0'),
  column('seen_at {ms} NOT NULL DEFAULT 0'),
  column('issued {int} NOT NULL DEFAULT 0'),
  column('issued_at {ms} NOT NULL DEFAULT 0'),
  'CREATE INDEX sessions_sessions_user ON sessions_sessions (user_id, session_id)',
  `CREATE TABLE sessions_cookies (
    digest {id} NOT NULL PRIMARY KEY,
    session_id {id} NOT NULL,
    turn {int} NOT NULL,
    turn_at {ms} NOT NULL,
    expires_at {ms} NOT NULL
  ){end}`,
  'CREATE INDEX sessions_cookies_session ON sessions_cookies (session_id)',
  'CREATE INDEX sessions_cookies_expires ON sessions_cookies (expires_at)',
  `CREATE TABLE sessions_links (
    digest {id} NOT NULL PRIMARY KEY,
    token_id {id} NOT NULL,
    user_id {id} NOT NULL,
    user_name {id} NOT NULL,
    org_id {id},
    expires_at {ms} NOT NULL
  ){end}`,
  'CREATE INDEX sessions_links_expires ON sessions_links (expires_at)',
]);
