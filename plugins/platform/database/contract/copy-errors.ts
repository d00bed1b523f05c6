import { defineError } from '../../../../kernel/contracts/index.ts';

export const CopyErrors = {
  nothing: defineError({
    code: 'backup_nothing',
    status: 404,
    title: 'There is no svc database to read.',
    next: 'Set SVC_DATABASE_URL to the database, or run the command in the folder of `svc dev`.',
  }),
  unmigrated: defineError({
    code: 'backup_unmigrated',
    status: 409,
    title: 'The database schema is being changed, or a change was interrupted.',
    next: 'Start one server of the newer version, wait until it is ready, and then create the backup.',
  }),
  notEmpty: defineError({
    code: 'restore_not_empty',
    status: 409,
    title: 'The database is not empty; svc restores backups only into empty databases.',
    next: 'Nothing was changed. Set SVC_DATABASE_URL to a new database, or remove this one if you do not need it.',
  }),
  unfinished: defineError({
    code: 'restore_unfinished',
    status: 503,
    title: 'A restore into this database has not finished.',
    next: 'Wait until `svc admin restore` has ended. If it was killed, drop the database, create it again, and restore again.',
  }),
  newer: defineError({
    code: 'backup_newer',
    status: 409,
    title: 'The backup has a schema that this version of svc does not support.',
    next: 'Restore with the version that created the backup or a newer one, and list its plugins in SVC_PLUGINS.',
  }),
  damaged: defineError({
    code: 'backup_damaged',
    status: 422,
    title: 'The file is not a complete svc backup.',
    next: 'Use another copy of the backup; `svc admin restore --verify <file>` checks a file without restoring it.',
  }),
  valueRefused: defineError({
    code: 'backup_value_refused',
    status: 422,
    title: 'The database cannot store a value from the backup.',
    next: 'Restore into the kind of database that the backup came from, or fix the problem described in the message.',
  }),
} as const;
