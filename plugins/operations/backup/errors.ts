import { defineError } from '../../../kernel/contracts/index.ts';

export const BackupErrors = {
  exists: defineError({
    code: 'backup_exists',
    status: 409,
    title: 'A file with this name already exists.',
    next: 'Nothing was written. Choose another name, or replace the file with --force.',
  }),
  fileUnusable: defineError({
    code: 'backup_file_unusable',
    status: 500,
    title: 'The backup file cannot be used.',
    next: 'Check the path, its permissions and the free space, then try again.',
  }),
  interrupted: defineError({
    code: 'backup_interrupted',
    status: 409,
    title: 'The backup or the restore was interrupted.',
    next: 'Start it again.',
  }),
} as const;
