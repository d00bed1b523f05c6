const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * When an id of this service was made, epoch ms; 0 for any other text. Ids begin with their time: ten digits of base
 * 32.
 */
export function madeAt(id: string): number {
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
