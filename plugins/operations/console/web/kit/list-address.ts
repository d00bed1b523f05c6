/** What the address of a list says: words to find, filters, and whether the form of a new one is open. */
export interface ListAddress {
  find?: string;
  state?: string;
  make?: boolean;
}

/** Anything else that stands in an address is left out. The router reads `find=12` as a number. */
export function readListAddress({ find, state, make }: Record<string, unknown>): ListAddress {
  return {
    ...((typeof find === 'string' || typeof find === 'number') && find !== '' && { find: String(find) }),
    ...(typeof state === 'string' && state !== '' && { state }),
    ...(make === true && { make }),
  };
}

/** Does any of the texts have every word? */
export function hasWords(texts: readonly (string | undefined)[], find = ''): boolean {
  const text = texts.join(' ').toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
