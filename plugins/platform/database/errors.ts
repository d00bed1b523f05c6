import { defineError } from '../../../kernel/contracts/index.ts';

/** Errors of the database. Details never contain a password, a parameter or a row. */
export const DatabaseErrors = {
  urlInvalid: defineError({
    code: 'database_url_invalid',
    status: 500,
    title: 'The database address is not valid.',
    next: 'Set SVC_DATABASE_URL to `sqlite:<path>`, `sqlite::memory:` or `mysql://<user>:<password>@<host>:<port>/<database>`.',
  }),
  unavailable: defineError({
    code: 'database_unavailable',
    status: 503,
    title: 'The database does not respond.',
    next: 'Nothing was changed; try again. If it still fails, check that the database is running, that SVC_DATABASE_URL is correct, and that its disk has free space and no errors.',
  }),
  busy: defineError({
    code: 'database_busy',
    status: 503,
    title: 'Other work locked the database for too long.',
    next: 'Nothing was changed; try again.',
  }),
  corrupt: defineError({
    code: 'database_corrupt',
    status: 503,
    title: 'The database file is damaged or is not a database.',
    next: 'Stop the service, copy the file, and restore a backup or set SVC_DATABASE_URL to another file.',
  }),
  storageFull: defineError({
    code: 'storage_full',
    status: 503,
    title: 'The database storage is full.',
    next: 'Nothing was changed. Free space or give the database more space, then try again.',
  }),
  commitUnknown: defineError({
    code: 'commit_unknown',
    status: 503,
    title: 'The connection broke during the commit.',
    next: 'The operation may or may not have succeeded. Check the result before you try again, or repeat the request with the same idempotency key.',
  }),
  rowExists: defineError({
    code: 'row_exists',
    status: 409,
    title: 'A row with this key already exists.',
    next: 'Read the existing row, or choose another key.',
  }),
  newer: defineError({
    code: 'database_newer',
    status: 503,
    title: 'The database was migrated by a newer version of svc or of a plugin.',
    next: 'Start that version or a newer one. To go back to this version, restore a backup that was created with it.',
  }),
  migrationFailed: defineError({
    code: 'migration_failed',
    status: 500,
    title: 'A migration failed.',
    next: 'Fix the problem described in the message and start again. Applied statements are recorded; the migration continues after them.',
  }),
  migrationChanged: defineError({
    code: 'migration_changed',
    status: 500,
    title: 'A migration differs from the one that was applied.',
    next: 'Never change an applied migration: run the version that matches this database, or add a new migration.',
  }),
  migrationLocked: defineError({
    code: 'migration_locked',
    status: 503,
    title: 'Another process is taking too long to migrate the database.',
    next: 'Check the process shown in the message. Its lock expires after it ends. Then start again.',
  }),
} as const;

/** Failures of the database itself, not of one item: the halves of a batch would fail too, or would be written twice. */
export const DATABASE_FAILURES: ReadonlySet<string> = new Set([
  DatabaseErrors.unavailable.code,
  DatabaseErrors.commitUnknown.code,
  DatabaseErrors.storageFull.code,
  DatabaseErrors.corrupt.code,
  DatabaseErrors.busy.code,
  DatabaseErrors.newer.code,
]);
