import { Errors } from '../../../kernel/contracts/index.ts';

/** Answers the id; throws `invalid_request` for one that this service never gave. */
export function checkLogId(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  const message = 'is no id of a chunk of this log; leave it out to begin at the start';
  throw Errors.invalidRequest(`Last-Event-ID ${message}`, { errors: [{ pointer: '/headers/last-event-id', message }] });
}
