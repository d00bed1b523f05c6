import { type Command, inGroup } from '../../../../cli/contract.ts';

/** They work on the database itself, where the server's settings are. */
export const commands: readonly Command[] = inGroup('Operate', [
  {
    name: 'admin backup',
    anywhere: true,
    summary: 'write the whole database into one file, while servers run',
    description:
      'The file is a consistent copy of every row. Sealed values stay sealed, and the file does not contain the master key.\n' +
      'It contains logs, inputs and outputs as plain text: protect it like the database. `-` writes to standard output.\n' +
      'Artifact contents are stored in a separate folder or bucket; the backup includes them only with --artifacts.',
    args: [{ name: 'file', summary: 'the new file, or -' }],
    flags: {
      artifacts: { type: 'boolean', summary: 'include the contents of all artifacts' },
      force: { type: 'boolean', summary: 'replace an existing file' },
    },
    examples: [
      [
        'svc admin backup /backups/monday.svc',
        'the database in SVC_DATABASE_URL, or the database of `svc dev` in this folder',
      ],
      ['svc admin backup -', 'to standard output: for a pipe into age, gpg or ssh'],
    ],
    load: () => import('./backup.ts'),
  },
  {
    name: 'admin restore',
    anywhere: true,
    summary: 'fill an empty database from a backup',
    description:
      'The database in SVC_DATABASE_URL must be empty; it can be SQLite or MySQL, no matter which one the backup came from. The\n' +
      'master key must match the backup: SVC_MASTER_KEY, or .svc/master.key with SQLite. A backup from an older version\n' +
      'is migrated. If anything fails, the database is empty again.',
    args: [{ name: 'file', summary: 'a backup, or - for standard input' }],
    flags: {
      verify: { type: 'boolean', summary: 'only read the file to its end, check it, and describe its content' },
    },
    examples: [
      ['svc admin restore --verify /backups/monday.svc', 'check that it is complete; needs no database or key'],
      ['SVC_DATABASE_URL=mysql://… svc admin restore monday.svc', 'then: svc serve'],
    ],
    load: () => import('./restore.ts'),
  },
]);
