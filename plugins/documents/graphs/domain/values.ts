import type { Fault } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { type ExactNumber, isNumber, pointerTo, copySpelling } from '../../../platform/schema/contract.ts';
import { type Interpolation, splitInterpolations } from '../contract.ts';

type JsonObject = { [name: string]: Json };

/** Marks a compiled template in a plan; `render` evaluates it. Documents must not contain this member. */
const TEXT = '$svc.text';

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !isNumber(value);

/** Returns the text of `{"$expr": "…"}`; undefined for every other value. */
export function readExpr(value: Json | undefined): string | undefined {
  return isObject(value) && typeof value.$expr === 'string' && Object.keys(value).length === 1
    ? value.$expr
    : undefined;
}

/** Counts a value and all values inside it, up to a maximum. */
export function countValues(value: Json, max: number): number {
  if (value === null || typeof value !== 'object') return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    if (count >= max) break;
    count += countValues(item, max - count);
  }
  return count;
}

/** An expression and where it was found. */
export interface LocatedExpression {
  pointer: string;
  text: string;
  /** It is a predicate, which can read `event` too. */
  event?: boolean;
  /** The position of the expression within a template. */
  offset?: { line: number; column: number };
}

export interface CollectedExpressions {
  expressions: LocatedExpression[];
  errors: Fault[];
}

/**
 * Finds the expressions of a value: `$expr`, and templates where they are evaluated. Malformed ones are reported too.
 */
export function findExpressions(
  value: Json,
  pointer: string,
  with_templates: boolean,
  into: CollectedExpressions,
): void {
  if (typeof value === 'string') {
    if (with_templates) findInTemplate(value, pointer, into);
    return;
  }
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) findExpressions(one, pointerTo(pointer, i), with_templates, into);
    return;
  }
  if (!isObject(value)) return;
  const text = readExpr(value);
  if (text !== undefined) into.expressions.push({ pointer: pointerTo(pointer, '$expr'), text });
  else for (const [name, one] of Object.entries(value)) findInMember(name, one, pointer, with_templates, into);
}

function findInMember(
  name: string,
  value: Json,
  pointer: string,
  with_templates: boolean,
  into: CollectedExpressions,
): void {
  const formatPosition = pointerTo(pointer, name);
  if (name === '$expr')
    into.errors.push({ pointer: formatPosition, message: 'must be a string, and the only member of its object' });
  else if (name.startsWith('$svc.'))
    into.errors.push({ pointer: formatPosition, message: 'names that begin with $svc. are reserved' });
  else findExpressions(value, formatPosition, with_templates, into);
}

function findInTemplate(text: string, pointer: string, into: CollectedExpressions): void {
  const split = splitInterpolations(text);
  if ('message' in split) into.errors.push({ pointer, message: `${formatPosition(split)}: ${split.message}` });
  else
    for (const segment of split.segments)
      if (typeof segment !== 'string') into.expressions.push({ pointer, text: segment.expr, offset: segment });
}

const formatPosition = ({ line, column }: { line: number; column: number }) => `line ${line}, column ${column}`;

/** Compiles the templates of a value into the form that plans store. */
export function compileTemplates(value: Json): Json {
  if (typeof value === 'string') {
    const split = splitInterpolations(value);
    if ('message' in split || split.segments.every((segment) => typeof segment === 'string')) return value;
    const [only, ...more] = split.segments;
    if (more.length === 0) return { $expr: (only as Interpolation).expr };
    return {
      [TEXT]: split.segments.map((segment) => (typeof segment === 'string' ? segment : { $expr: segment.expr })),
    };
  }
  if (Array.isArray(value)) return value.map(compileTemplates);
  if (!isObject(value) || readExpr(value) !== undefined) return value;
  return copySpelling(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, compileTemplates(one)])),
    value,
  );
}

/** Evaluates the expressions of a value. Their results are not searched for further expressions. */
export function render(value: Json, evaluate: (text: string) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => render(one, evaluate));
  if (!isObject(value)) return value;
  const text = readExpr(value);
  if (text !== undefined) return evaluate(text);
  const segments = value[TEXT];
  if (Array.isArray(segments)) return segments.map((segment) => renderSegment(segment, evaluate)).join('');
  return copySpelling(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, render(one, evaluate)])),
    value,
  );
}

function renderSegment(segment: Json, evaluate: (text: string) => Json): string {
  const value = render(segment, evaluate);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An expression with this value: JSON with its `$expr` in place. */
export function toCel(value: Json): string {
  const text = readExpr(value);
  if (text !== undefined) return `(${text})`;
  if (Array.isArray(value)) return `[${value.map(toCel).join(', ')}]`;
  if (!isObject(value)) return isNumber(value) ? celNumber(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${toCel(one)}`);
  return `{${members.join(', ')}}`;
}

/** A whole number that fits is an integer, everything else a double. */
function celNumber(value: number | bigint | ExactNumber): string {
  const text = String(value);
  if (Number.isSafeInteger(value)) return text;
  if (typeof value === 'bigint' && value === BigInt.asIntN(64, value)) return text;
  if (typeof value === 'bigint' && value === BigInt.asUintN(64, value)) return `${text}u`;
  return /[.eE]/.test(text) ? text : `${text}.0`;
}
