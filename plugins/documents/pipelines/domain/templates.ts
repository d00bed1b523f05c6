/** A segment of a text: literal, or an expression with its number among the expressions of the text. */
export type Segment = string | { expression: string; nth: number };

const OPEN = '${{';

/** Splits a text at its `${{ }}` expressions. Returns the number of an expression that has no end. */
export function splitTemplate(text: string): Segment[] | { unclosed: number } {
  const segments: Segment[] = [];
  let at = 0;
  for (let nth = 0; ; nth++) {
    const open = text.indexOf(OPEN, at);
    if (open < 0) break;
    const close = findEnd(text, open + OPEN.length);
    if (close < 0) return { unclosed: nth };
    if (open > at) segments.push(text.slice(at, open));
    segments.push({ expression: text.slice(open + OPEN.length, close), nth });
    at = close + 2;
  }
  if (at < text.length) segments.push(text.slice(at));
  return segments;
}

/** Finds the `}}` that ends an expression, skipping those within strings and maps. */
function findEnd(text: string, from: number): number {
  let quote = '';
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const character = text[i]!;
    if (quote !== '') {
      if (character === '\\') i++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '{') depth++;
    else if (character === '}' && depth > 0) depth--;
    else if (character === '}' && text[i + 1] === '}') return i;
  }
  return -1;
}

export const hasTemplate = (text: string): boolean => text.includes(OPEN);

/** Returns the expression of a condition, without `${{ }}` around the whole of it. */
export function readCondition(text: string): { expression: string; nth: number | undefined } {
  const segments = hasTemplate(text) ? splitTemplate(text.trim()) : [];
  const [only] = Array.isArray(segments) && segments.length === 1 ? segments : [];
  return typeof only === 'object' ? only : { expression: text, nth: undefined };
}

export type Evaluate = (expression: string) => unknown;

/**
 * Evaluates a text that was checked. A text that is one expression has the value of that expression; any other becomes
 * a string.
 */
export function fillText(text: string, evaluate: Evaluate): unknown {
  const segments = splitTemplate(text);
  if (!Array.isArray(segments)) return text;
  const [only] = segments;
  if (segments.length === 1 && typeof only === 'object') return evaluate(only.expression);
  return segments
    .map((segment) => (typeof segment === 'string' ? segment : toText(evaluate(segment.expression))))
    .join('');
}

/** Converts a value to text: strings as they are, other values as JSON. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** Evaluates every text of a value, at any depth. */
export function fillTemplates(value: unknown, evaluate: Evaluate): unknown {
  if (typeof value === 'string') return hasTemplate(value) ? fillText(value, evaluate) : value;
  if (Array.isArray(value)) return value.map((one) => fillTemplates(one, evaluate));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillTemplates(one, evaluate)]));
}

/** Variables of a process: each value as a text. */
export const fillEnv = (env: Readonly<Record<string, unknown>>, evaluate: Evaluate): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, toText(fillTemplates(value, evaluate))]));
