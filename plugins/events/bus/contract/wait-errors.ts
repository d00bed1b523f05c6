import { defineError } from '../../../../kernel/contracts/index.ts';

/** Errors of the values that the predicate of a wait reads when the wait begins. */
export const WaitValueErrors = {
  valueMissing: defineError({
    code: 'wait_value_missing',
    status: 422,
    title: 'A value that `when` uses does not exist when the wait begins.',
    next: 'Fix the path shown in `detail`. Test for a member that may be missing with `has(…)`.',
  }),
  valuesTooLarge: defineError({
    code: 'wait_values_too_large',
    status: 422,
    title: 'The values that `when` uses are too large to be stored with the wait.',
    next: 'Name the members that you compare, not the object or list that contains them.',
  }),
} as const;
