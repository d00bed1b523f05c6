/** What a column of text keeps, in characters as the databases count them. */
const TEXT_POINTS = 255;
const ACTION = /^[a-z][a-z_]*\.[a-z][a-z_]*$/;

/** Cut at a whole character: half a surrogate pair is refused by MySQL. */
export function bounded(text: string): string {
  if (text.length <= TEXT_POINTS) return text.toWellFormed();
  return [...text.slice(0, 2 * TEXT_POINTS)].slice(0, TEXT_POINTS).join('').toWellFormed();
}

/** An action is written in the code, never by a caller: a bad one is our fault. */
export function checkAction(action: string): string {
  if (action.length <= 64 && ACTION.test(action)) return action;
  throw new Error(`"${action}" is no action of the audit; write <noun>.<verb>`);
}
