/** Reads a rate like `10/1m` (10 in each minute) into its number and its duration; undefined if it is not one. */
export function parseRateText(text: string): { count: number; duration: string } | undefined {
  const [, count, duration] = /^([1-9]\d{0,5})\/([0-9a-z]+)$/.exec(text.trim()) ?? [];
  return count === undefined || duration === undefined ? undefined : { count: Number(count), duration };
}

/** Writes `10/1m`. */
export const formatRateText = (count: number, duration: string): string => `${count}/${duration}`;
