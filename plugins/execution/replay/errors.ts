import { defineError } from '../../../kernel/contracts/index.ts';

/** The script made another durable call than the one recorded at that position. */
export const determinismViolation = defineError({
  code: 'determinism_violation',
  status: 409,
  title: 'The script did not repeat the durable calls in its journal.',
  next: "Make the same calls in the same order on every pass. Take values that vary (time, random numbers, listings) from a step's output.",
});
