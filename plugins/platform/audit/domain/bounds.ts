/** The size of text columns, in characters as the databases count them. */
const TEXT_POINTS = 255;
const ACTION = /^[a-z][a-z_]*\.[a-z][a-z_]*$/;

/** Truncates a text between characters, because MySQL rejects half a surrogate pair. */
export function truncateText(text: string): string {
  if (text.length <= TEXT_POINTS) return text.toWellFormed();
  return [...text.slice(0, 2 * TEXT_POINTS)].slice(0, TEXT_POINTS).join('').toWellFormed();
}

/** Actions are constants in code and never come from a caller, so an invalid one is a bug. */
export function checkAction(action: string): string {
  if (action.length <= 64 && ACTION.test(action)) return action;
  throw new Error(`"${action}" is not an audit action; write <noun>.<verb>`);
}
