import { Errors } from '../../../kernel/contracts/index.ts';

/** `event:<type>:<activity>` is the longest that the engine makes itself. */
const LENGTH = 128;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Answers the name; throws `invalid_request`. `event:…` is allowed here: it unblocks a wait for an event. */
export function checkSignalName(name: string): string {
  if (name !== '' && [...name].length <= LENGTH && !CONTROL.test(name)) return name;
  const message = `must have 1 to ${LENGTH} characters, none of them a control character`;
  throw Errors.invalidRequest(`the name of a signal ${message}`, { errors: [{ pointer: '/name', message }] });
}
