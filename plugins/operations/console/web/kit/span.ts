const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];
/** Below it seconds have a tenth. */
const FINE_MS = 30_000;

/** How long something lasts, for people: `188 ms`, `23.9 s`, `2 min 9 s`, `1 h 8 min`, `3 d`. */
export function span(ms: number): string {
  const at = UNITS.findIndex(([, unit]) => ms >= unit);
  if (at < 0) return `${Math.max(0, Math.round(ms))} ms`;
  const [[name, unit], below] = [UNITS[at]!, UNITS[at + 1]];
  if (below === undefined) return `${ms < FINE_MS ? Math.floor(ms / 100) / 10 : Math.floor(ms / unit)} s`;
  const whole = Math.floor(ms / unit);
  // Ten and more of a unit are told without the unit below.
  const rest = whole >= 10 ? 0 : Math.floor((ms % unit) / below[1]);
  return rest > 0 ? `${whole} ${name} ${rest} ${below[0]}` : `${whole} ${name}`;
}

/** In its largest unit: `8 min`. */
export function roughly(ms: number): string {
  const [name, unit] = UNITS.find(([, one]) => Math.abs(ms) >= one) ?? ['s', 1000];
  return `${Math.max(0, Math.floor(ms / unit))} ${name}`;
}

/** `3 min ago`, `in 2 h`, `now`; empty for what is no time. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  if (Math.abs(ms) < 1000) return 'now';
  return ms > 0 ? `${roughly(ms)} ago` : `in ${roughly(-ms)}`;
}
