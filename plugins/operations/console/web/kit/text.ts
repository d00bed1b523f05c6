import { ago, roughly, span } from './span.ts';

export { ago, roughly, span };

/** How long something took, or has been going on; empty before its start. */
export function took({ started_at, finished_at }: { started_at?: string; finished_at?: string }, now: number): string {
  if (!started_at) return '';
  return span((finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at));
}

export function bytesOf(base64: string): Uint8Array {
  // By hand: a function called for each letter takes many times as long, and logs have millions.
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** A text as it is, other JSON over several lines. */
export function pretty(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** `1,234`, `12.3 k`, `1.2 M`. */
export function count(n: number): string {
  if (n < 10_000) return n.toLocaleString('en');
  return n < 1_000_000 ? `${(n / 1000).toFixed(1)} k` : `${(n / 1_000_000).toFixed(1)} M`;
}

const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** `26 Nov 2026, 10:34:50 CET`, by the clock of the reader; what is no time stays as it is. */
export function exactTime(at: string): string {
  const time = Date.parse(at);
  return Number.isNaN(time) ? at : EXACT.format(time);
}

/** For a POSIX shell. */
export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

// Letters that turn the direction of what follows, and control characters: names of files and runs may have them.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Shows what could deceive: control characters and marks of direction as `\u202e`. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
