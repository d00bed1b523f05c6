import { defineError } from '../../../kernel/contracts/index.ts';

export const GraphErrors = {
  graphInvalid: defineError({
    code: 'workflow_invalid',
    status: 422,
    title: 'The workflow is not valid.',
    next: 'Fix the listed problems. `svc check` finds them without submitting.',
  }),
  graphsFull: defineError({
    code: 'graphs_full',
    status: 409,
    title: 'The project has reached the limit for graphs.',
    next: 'Remove graphs that are no longer used (`svc graph rm`).',
  }),
} as const;
