const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** Formats a time span for people, in its two largest units: `850 ms`, `12s`, `3m 20s`, `2d 4h`. */
export function formatSpan(ms: number): string {
  const at = UNITS.findIndex(([, unit]) => ms >= unit);
  if (at < 0) return `${Math.max(0, Math.round(ms))} ms`;
  const [[name, unit], smaller] = [UNITS[at]!, UNITS[at + 1]];
  const count = Math.floor(ms / unit);
  const rest = smaller === undefined ? 0 : Math.floor((ms % unit) / smaller[1]);
  return rest > 0 ? `${count}${name} ${rest}${smaller![0]}` : `${count}${name}`;
}

/** Formats a time relative to now: `3m ago`, `in 2h`, `now`. Empty when the text is no time. */
export function formatAgo(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  if (Math.abs(ms) < 1000) return 'now';
  return ms > 0 ? `${formatSpan(ms)} ago` : `in ${formatSpan(-ms)}`;
}
