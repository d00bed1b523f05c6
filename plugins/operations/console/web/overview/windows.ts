export const WINDOWS = [
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
] as const;

export type WindowName = (typeof WINDOWS)[number][0];

/** The window whose series holds what this one is compared with. */
export const LONGER: Readonly<Record<WindowName, WindowName | undefined>> = {
  '1h': '24h',
  '24h': '7d',
  '7d': undefined,
};

/** Anything else that stands in an address is left out. */
export function readWindow({ window }: Record<string, unknown>): { window?: WindowName } {
  const known = WINDOWS.find(([name]) => name === window);
  return known ? { window: known[0] } : {};
}
