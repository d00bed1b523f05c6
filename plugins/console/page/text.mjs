const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** `1h 4m`, `12s`, `340ms`: the two largest units. */
export function span(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[first];
  const next = UNITS[first + 1];
  const rest = next ? Math.floor((ms % size) / next[1]) : 0;
  return `${Math.floor(ms / size)}${unit}${rest > 0 ? ` ${rest}${next[0]}` : ''}`;
}

export function ago(iso, now) {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  return ms < 1000 ? 'now' : `${span(ms)} ago`;
}

/** How long a run took, or has been running. */
export function took({ started_at, finished_at }, now) {
  if (!started_at) return '';
  return span((finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at));
}

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
const TERMINAL = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)|[@-_])`,
  'g',
);

/** Log text without terminal colour sequences. */
export function plain(text) {
  return text.replace(TERMINAL, '');
}

export function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
