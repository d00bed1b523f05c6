import { defineError } from '../../../kernel/contracts/index.ts';

export const SecretStoreErrors = {
  missing: defineError({
    code: 'secret_store_missing',
    status: 422,
    title: 'A secret refers to a secret store that does not exist.',
    next: 'Create it with `svc secret-store set`, or fix the name. `svc secret-store ls` shows the stores of the project.',
  }),
  unavailable: defineError({
    code: 'secret_store_unavailable',
    status: 503,
    title: 'A secret store does not respond.',
    next: 'Runs wait, and svc tries again. `svc secret-store test` shows when the store responds again.',
  }),
  rejected: defineError({
    code: 'secret_store_refused',
    status: 424,
    title: "A secret store rejected svc's request, or its response is not usable.",
    next: 'Check the address, the login and its permissions with `svc secret-store test`. If they have changed, set the store again.',
  }),
  noValue: defineError({
    code: 'secret_store_no_value',
    status: 422,
    title: 'A secret store has no usable value at this path.',
    next: 'Check the path and the field with `svc secret-store test`. A value is text of 4 characters to 48 KiB.',
  }),
} as const;
