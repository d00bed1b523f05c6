import { parseDuration, pointerTo } from '../../../../../cli/contract.ts';
import type { Members } from './workflow-files.ts';

/** A member that differs. `from` is what the server has, `to` what the file says; absent where there is none. */
export interface Difference {
  pointer: string;
  from?: unknown;
  to?: unknown;
}

/** Members whose texts are durations, which have several spellings: `60m` and `1h`. */
const DURATIONS = new Set('timeout period max jitter catch_up deadline backoff backoff_max every'.split(' '));
/** Members that are values of people's own: they are compared exactly. */
const OPAQUE = new Set(['config', 'with', 'input', 'document', 'published', 'env']);

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Writes JSON with sorted members, so that equal values have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
    .join(',')}}`;
}

/** Tells whether two values are the same JSON, whatever the order of their members. */
export const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

function isSameDuration(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  try {
    return parseDuration(a) === parseDuration(b);
  } catch {
    return false;
  }
}

/** Lists where two bodies differ. A member that is empty is the same as one that is absent. */
export function differences(from: Members, to: Members, pointer = ''): Difference[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name) => {
    const [a, b] = [from[name], to[name]];
    const at = pointerTo(pointer, name);
    if (isSame(a, b) || (isEmpty(a) && isEmpty(b))) return [];
    if (DURATIONS.has(name) && isSameDuration(a, b)) return [];
    if (isObject(a) && isObject(b) && !OPAQUE.has(name)) return differences(a, b, at);
    return [{ pointer: at, ...(a !== undefined && { from: a }), ...(b !== undefined && { to: b }) }];
  });
}

const MAX_VALUE_LENGTH = 60;

function formatValue(value: unknown): string {
  if (value === undefined) return '(none)';
  const text = JSON.stringify(value);
  if (text.length <= MAX_VALUE_LENGTH) return text;
  return typeof value === 'string' ? `${value.split('\n').length} lines` : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

/** Finds the first line in which two documents differ. */
function firstLine(from: string, to: string): number {
  const [a, b] = [from.split('\n'), to.split('\n')];
  const at = a.findIndex((line, index) => line !== b[index]);
  return (at < 0 ? a.length : at) + 1;
}

/** A difference in one line. A document is described by the line where it begins to differ. */
export function describeDifference({ pointer, from, to }: Difference): string {
  const name = pointer.slice(1).replaceAll('/', '.');
  if (typeof from === 'string' && typeof to === 'string' && /[\n]/.test(from + to))
    return `${name}: differs from line ${firstLine(from, to)}`;
  return `${name}: ${formatValue(from)} → ${formatValue(to)}`;
}
