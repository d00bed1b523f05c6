import { defineError } from '../../../kernel/contracts/index.ts';

export const SavedViewErrors = {
  viewsFull: defineError({
    code: 'views_full',
    status: 409,
    title: 'The project, or the member in the project, has reached the limit for saved views.',
    next: 'Remove views that are no longer needed (`svc view rm`).',
  }),
  viewContainsSecret: defineError({
    code: 'view_contains_secret',
    status: 422,
    title: 'A filter contains the value of a secret, which a view would show to anyone who can see it.',
    next: 'Leave the value out of the filter. Searches do not find it either, because it is masked in runs.',
  }),
} as const;
