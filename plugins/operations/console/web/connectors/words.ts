/** What the address of the list says; anything else is left out. */
export const readWords = ({ words, category }: Record<string, unknown>): { words?: string; category?: string } => ({
  ...((typeof words === 'string' || typeof words === 'number') && words !== '' && { words: String(words) }),
  ...(typeof category === 'string' && category !== '' && { category }),
});
