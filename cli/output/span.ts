const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** A span of time for people, in its two largest units: `850 ms`, `12s`, `3m 20s`, `2d 4h`. */
export function span(ms: number): string {
  const at = UNITS.findIndex(([, unit]) => ms >= unit);
  if (at < 0) return `${Math.max(0, Math.round(ms))} ms`;
  const [[name, unit], below] = [UNITS[at]!, UNITS[at + 1]];
  const whole = Math.floor(ms / unit);
  const rest = below === undefined ? 0 : Math.floor((ms % unit) / below[1]);
  return rest > 0 ? `${whole}${name} ${rest}${below![0]}` : `${whole}${name}`;
}

/** `3m ago`, `in 2h`, `now`; empty for what is no time. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  if (Math.abs(ms) < 1000) return 'now';
  return ms > 0 ? `${span(ms)} ago` : `in ${span(-ms)}`;
}
