import { defineError } from '../contracts/index.ts';

/** What a database can come to. Details never hold a password, a parameter or a row. */
export const DatabaseErrors = {
  urlInvalid: defineError({
    code: 'database_url_invalid',
    status: 500,
    title: 'The address of the database is not valid.',
    next: 'Set SVC_DATABASE_URL to `sqlite:<path>`, `sqlite::memory:` or `mysql://<user>:<password>@<host>:<port>/<database>`.',
  }),
  unavailable: defineError({
    code: 'database_unavailable',
    status: 503,
    title: 'The database does not answer.',
    next: 'Nothing was done; try again. If it lasts, check that the database runs and that SVC_DATABASE_URL leads to it.',
  }),
  busy: defineError({
    code: 'database_busy',
    status: 503,
    title: 'Others held what this needed in the database for too long.',
    next: 'Nothing was done; try again.',
  }),
  corrupt: defineError({
    code: 'database_corrupt',
    status: 503,
    title: 'The database file is damaged or is no database.',
    next: 'Stop the service, keep a copy of the file, and restore a backup or name another file in SVC_DATABASE_URL.',
  }),
  storageFull: defineError({
    code: 'storage_full',
    status: 503,
    title: 'The storage of the database is full.',
    next: 'Nothing was done; free space or give the database more, then try again.',
  }),
  commitUnknown: defineError({
    code: 'commit_unknown',
    status: 503,
    title: 'The connection broke while the work was being committed.',
    next: 'It may or may not have been done: read before you try again, or send it again with the same idempotency key.',
  }),
  rowExists: defineError({
    code: 'row_exists',
    status: 409,
    title: 'A row with this key exists.',
    next: 'Read the row that exists, or choose another key.',
  }),
  migrationFailed: defineError({
    code: 'migration_failed',
    status: 500,
    title: 'A step of the schema failed.',
    next: 'Correct the cause named in `detail` and start again: what was applied is recorded, and it goes on from this step.',
  }),
  migrationChanged: defineError({
    code: 'migration_changed',
    status: 500,
    title: 'A step of the schema differs from the one that was applied.',
    next: 'Never change an applied migration: run the version that belongs to this database, or add a new migration.',
  }),
  migrationLocked: defineError({
    code: 'migration_locked',
    status: 503,
    title: 'Another process has been changing the schema for too long.',
    next: 'Look at the process named in `detail`; when it is gone its lock expires by itself. Then start again.',
  }),
} as const;
