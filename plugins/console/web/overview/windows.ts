export const WINDOWS = [
  ['1h', 'The last hour'],
  ['24h', 'The last day'],
  ['7d', 'The last week'],
] as const;

export type WindowName = (typeof WINDOWS)[number][0];

/** Anything else that stands in an address is left out. */
export function readWindow({ window }: Record<string, unknown>): { window?: WindowName } {
  const known = WINDOWS.find(([name]) => name === window);
  return known ? { window: known[0] } : {};
}
