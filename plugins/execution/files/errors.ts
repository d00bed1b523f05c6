import { defineError } from '../../../kernel/contracts/index.ts';

export const FileErrors = {
  notStored: defineError({
    code: 'include_not_stored',
    status: 409,
    title: 'The content of an included file is not stored.',
    next: 'Upload the files in `missing` with `PUT …/files/{digest}`, and repeat the request. `svc` does both.',
  }),
  digestMismatch: defineError({
    code: 'include_digest_mismatch',
    status: 422,
    title: 'The content does not match the digest that was sent with it.',
    next: 'Nothing was stored. Send the file again; if it is still being written, wait until it is complete.',
  }),
} as const;
