import { defineError } from '../../../kernel/contracts/index.ts';

export const VaultErrors = {
  masterKeyMissing: defineError({
    code: 'master_key_missing',
    status: 500,
    title: 'The master key of the database is missing.',
    next: 'Set SVC_MASTER_KEY to the master key that this database was created with: 32 bytes in base64. For a new database, `openssl rand -base64 32` creates a key. Keep a copy elsewhere: without the key, sealed values cannot be read.',
  }),
  masterKeyInvalid: defineError({
    code: 'master_key_invalid',
    status: 500,
    title: 'The master key is not 32 bytes in base64.',
    next: 'Create one with `openssl rand -base64 32`, or restore the key that this database was created with.',
  }),
  masterKeyWrong: defineError({
    code: 'master_key_wrong',
    status: 500,
    title: 'This master key does not open the database.',
    next: 'Nothing was changed. Start with the key that the database was created with, or with the key of the last `svc admin rekey`.',
  }),
  masterKeyExposed: defineError({
    code: 'master_key_exposed',
    status: 500,
    title: 'Other users of this machine can read the master key file.',
    next: 'Run `chmod 600` on the file. If others had access to the machine, change the key with `svc admin rekey`.',
  }),
  rekeyConflict: defineError({
    code: 'rekey_conflict',
    status: 409,
    title: 'The master key change cannot continue.',
    next: 'Run `svc admin rekey` again with the old key as the master key and the same new key. `--abandon` undoes an unfinished change.',
  }),
  sealedValueUnreadable: defineError({
    code: 'sealed_value_unreadable',
    status: 500,
    title: 'A sealed value cannot be decrypted.',
    next: 'The row was changed or moved, or was sealed with a lost key. Restore it from a backup, or set the value again.',
  }),
} as const;
