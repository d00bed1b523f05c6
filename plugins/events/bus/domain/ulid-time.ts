const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns when an id of this service was generated, in epoch milliseconds, or 0 for any other text. Ids begin with
 * their time as ten base-32 digits.
 */
export function idTimestamp(id: string): number {
  const time = id.slice(id.indexOf('_') + 1).slice(0, 10);
  if (time.length < 10) return 0;
  let at = 0;
  for (const digit of time) {
    const value = DIGITS.indexOf(digit);
    if (value < 0) return 0;
    at = at * 32 + value;
  }
  return at;
}
