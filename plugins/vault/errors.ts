import { defineError } from '../../kernel/contracts/index.ts';

export const VaultErrors = {
  masterKeyMissing: defineError({
    code: 'master_key_missing',
    status: 500,
    title: 'There is no master key to open the database with.',
    next: 'Set SVC_MASTER_KEY to the 32 bytes in base64 that this database was made with; for a new database, `openssl rand -base64 32` makes one. Keep a copy elsewhere: without it nothing sealed can be read again.',
  }),
  masterKeyInvalid: defineError({
    code: 'master_key_invalid',
    status: 500,
    title: 'The master key is not 32 bytes in base64.',
    next: 'Make one with `openssl rand -base64 32`, or restore the one that this database was made with.',
  }),
  masterKeyWrong: defineError({
    code: 'master_key_wrong',
    status: 500,
    title: 'The master key is not the one that this database is sealed with.',
    next: 'Start with the master key that the database was made with or last rekeyed to (`svc admin rekey`). Nothing was changed.',
  }),
  masterKeyExposed: defineError({
    code: 'master_key_exposed',
    status: 500,
    title: 'Others on this machine may read the master key file.',
    next: 'Run `chmod 600` on the file; if others had access to the machine, change the key with `svc admin rekey`.',
  }),
  rekeyConflict: defineError({
    code: 'rekey_conflict',
    status: 409,
    title: 'This change of the master key cannot go on.',
    next: 'Start `svc admin rekey` again with the old key as the master key and the same new key; `--abandon` gives up an unfinished change.',
  }),
  sealedValueUnreadable: defineError({
    code: 'sealed_value_unreadable',
    status: 500,
    title: 'A sealed value cannot be opened.',
    next: 'The row was altered, moved or sealed by a lost key: restore it from a backup, or set the value again.',
  }),
} as const;
