import { defineError } from '../../../kernel/contracts/index.ts';

export const linkNotFound = defineError({
  code: 'answer_link_invalid',
  status: 404,
  title: 'This link is not valid.',
  next: 'Copy the entire link, or ask the sender for a new one.',
});

export const linkEnded = defineError({
  code: 'answer_link_ended',
  status: 410,
  title: 'This link no longer works.',
  next: 'If the question has been answered, there is nothing to do. Otherwise, ask the sender for a new link.',
});

export const linkNotOffered = defineError({
  code: 'answer_link_not_offered',
  status: 409,
  title: 'This server cannot create links.',
  next: 'Set SVC_PUBLIC_URL, or let the server listen on a port.',
});
