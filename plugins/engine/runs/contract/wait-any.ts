import type { Json } from './run.ts';
import { MAX_CALL_NAME_LENGTH } from './record.ts';

/** One of the things that a `wait-any` waits for. */
export interface AnyBranch {
  kind: 'signal' | 'event' | 'ask';
  /** The name of the signal or the ask, or the type of the event. */
  name: string;
  /** Of an event: CEL over `event`, and over what `values` or `vars` has. */
  when?: string;
  /** What `when` reads of the run in a document, as it is when the wait begins. */
  values?: { [root: string]: Json };
  /** What a script passes to `when`. */
  vars?: { [name: string]: Json };
  /** Of an event: those of untrusted runs count too. */
  untrusted?: true;
}

/** The arguments of a `wait-any`. */
export interface AnyWaitArgs {
  branches: AnyBranch[];
  /** The end of its time is a failure, and not one of the things that can come first. */
  fails?: true;
}

/** Several waits for one call are rows of the database each. */
export const MAX_BRANCHES = 16;

/** How the wait is called in lists: `signal:approved event:order.paid`. */
export const anyWaitName = (names: readonly string[]): string =>
  Array.from(names.join(' ')).slice(0, MAX_CALL_NAME_LENGTH).join('');

/** The prefix of names under which the engine itself ends waits for events. */
export const RESERVED_SIGNALS = 'event:';
const MAX_NAME_LENGTH = 128;

/** Says what is wrong with the name of a signal or an ask in a document. */
export const validateWaitName = (name: string): string | undefined =>
  name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)
    ? `must have 1 to ${MAX_NAME_LENGTH} characters and no control characters`
    : undefined;

/** The same for a signal, whose name must also not be reserved. */
export function validateSignalName(name: string): string | undefined {
  if (name.startsWith(RESERVED_SIGNALS))
    return `must not begin with ${RESERVED_SIGNALS}, which is reserved for the service`;
  return validateWaitName(name);
}
