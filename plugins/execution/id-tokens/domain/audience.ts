const MAX_LENGTH = 255;

/** Returns what is wrong with an audience; undefined if it can be one. */
export function findAudienceProblem(audience: string): string | undefined {
  if (audience === '') return 'is empty';
  if (audience.length > MAX_LENGTH) return `has more than ${MAX_LENGTH} characters`;
  return /^[\x21-\x7e]+$/.test(audience) ? undefined : 'must be printable ASCII without spaces';
}
