/** Part of a text: literal, or the expression of a hole with its number among the holes. */
export type Part = string | { expression: string; nth: number };

const OPEN = '${{';

/** Splits a text at its `${{ }}` holes; the rest is undefined when a hole has no end. */
export function partsOf(text: string): Part[] | { unclosed: number } {
  const parts: Part[] = [];
  let at = 0;
  for (let nth = 0; ; nth++) {
    const open = text.indexOf(OPEN, at);
    if (open < 0) break;
    const close = endOf(text, open + OPEN.length);
    if (close < 0) return { unclosed: nth };
    if (open > at) parts.push(text.slice(at, open));
    parts.push({ expression: text.slice(open + OPEN.length, close), nth });
    at = close + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** The `}}` that ends an expression: not one in a text or of a map of its own. */
function endOf(text: string, from: number): number {
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

export const hasHoles = (text: string): boolean => text.includes(OPEN);

/** The expression of a condition: `${{ }}` around the whole is stripped. */
export function conditionOf(text: string): { expression: string; nth: number | undefined } {
  const parts = hasHoles(text) ? partsOf(text.trim()) : [];
  const [only] = Array.isArray(parts) && parts.length === 1 ? parts : [];
  return typeof only === 'object' ? only : { expression: text, nth: undefined };
}

export type Evaluate = (expression: string) => unknown;

/** The value of a text: that of its hole when it is one hole, otherwise a text. The text was checked. */
export function filledText(text: string, evaluate: Evaluate): unknown {
  const parts = partsOf(text);
  if (!Array.isArray(parts)) return text;
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return evaluate(only.expression);
  return parts.map((part) => (typeof part === 'string' ? part : shown(evaluate(part.expression)))).join('');
}

/** A value in a text: texts as they are, others as JSON. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** The same for every text of a value, at any depth. */
export function filled(value: unknown, evaluate: Evaluate): unknown {
  if (typeof value === 'string') return hasHoles(value) ? filledText(value, evaluate) : value;
  if (Array.isArray(value)) return value.map((one) => filled(one, evaluate));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, evaluate)]));
}

/** Variables of a process: each value as a text. */
export const filledEnv = (env: Readonly<Record<string, unknown>>, evaluate: Evaluate): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, shown(filled(value, evaluate))]));
