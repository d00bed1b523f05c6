/** What the address of the list says; anything else is left out. */
export const readWords = ({ words }: Record<string, unknown>): { words?: string } =>
  (typeof words === 'string' || typeof words === 'number') && words !== '' ? { words: String(words) } : {};
