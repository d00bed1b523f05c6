import { Errors } from '../../../kernel/contracts/index.ts';
import { lineFault } from '../domain/line.ts';

/** `event:<type>:<activity>` is the longest that the engine makes itself. */
const LENGTH = 128;

/** Answers the name; throws `invalid_request`. `event:…` is allowed here: it unblocks a wait for an event. */
export function checkSignalName(name: string): string {
  const message = lineFault(name, LENGTH);
  if (message === undefined) return name;
  throw Errors.invalidRequest(`the name of a signal ${message}`, { errors: [{ pointer: '/path/name', message }] });
}
