/** Returns why a text is not one line of 1 to `length` characters; undefined if it is one. */
export function validateLine(text: string, length: number): string | undefined {
  if (text === '') return 'must not be empty';
  // A character has at most two units, so a huge text need not be split to be counted.
  if (text.length > length * 2 || [...text].length > length) return `must have at most ${length} characters`;
  if (/\p{Cc}/u.test(text)) return 'must not contain control characters';
  return text.isWellFormed() ? undefined : 'must be valid Unicode';
}
