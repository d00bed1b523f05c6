import type { Fault } from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import { type ExactNumber, isNumber, pointerTo, spellLike } from '../../schema/contract.ts';
import { type HolePart, splitHoles } from '../contract/holes.ts';

type JsonObject = { [name: string]: Json };

/** A text with holes as plans hold it; `render` fills it. Documents may not hold such a member themselves. */
const TEXT = '$svc.text';

export const isObject = (value: Json | undefined): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !isNumber(value);

/** The text of `{"$expr": "…"}`; undefined for every other value. */
export function exprOf(value: Json | undefined): string | undefined {
  return isObject(value) && typeof value.$expr === 'string' && Object.keys(value).length === 1
    ? value.$expr
    : undefined;
}

/** How many values there are in a value, itself included; counted no further than `most`. */
export function valuesIn(value: Json, most: number): number {
  if (value === null || typeof value !== 'object') return 1;
  let count = 1;
  for (const one of Object.values(value)) {
    if (count >= most) break;
    count += valuesIn(one, most - count);
  }
  return count;
}

/** An expression in a value. */
export interface Found {
  pointer: string;
  text: string;
  /** Where the expression begins in the text of a string with holes. */
  offset?: { line: number; column: number };
}

export interface Expressed {
  found: Found[];
  faults: Fault[];
}

/** The expressions of a value: `$expr`, and holes where `holes` is true. Faults of their form go to `into` too. */
export function expressionsIn(value: Json, pointer: string, holes: boolean, into: Expressed): void {
  if (typeof value === 'string') {
    if (holes) holesIn(value, pointer, into);
    return;
  }
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) expressionsIn(one, pointerTo(pointer, i), holes, into);
    return;
  }
  if (!isObject(value)) return;
  const text = exprOf(value);
  if (text !== undefined) into.found.push({ pointer: pointerTo(pointer, '$expr'), text });
  else for (const [name, one] of Object.entries(value)) memberIn(name, one, pointer, holes, into);
}

function memberIn(name: string, one: Json, pointer: string, holes: boolean, into: Expressed): void {
  const at = pointerTo(pointer, name);
  if (name === '$expr') into.faults.push({ pointer: at, message: 'must be a text, and the only member of its object' });
  else if (name.startsWith('$svc.'))
    into.faults.push({ pointer: at, message: 'names that begin with $svc. are reserved' });
  else expressionsIn(one, at, holes, into);
}

function holesIn(text: string, pointer: string, into: Expressed): void {
  const split = splitHoles(text);
  if ('message' in split) into.faults.push({ pointer, message: `${at(split)}: ${split.message}` });
  else
    for (const part of split.parts)
      if (typeof part !== 'string') into.found.push({ pointer, text: part.expr, offset: part });
}

const at = ({ line, column }: { line: number; column: number }) => `line ${line}, column ${column}`;

/** The same value with its holes in the form in which plans hold them. */
export function withHoles(value: Json): Json {
  if (typeof value === 'string') {
    const split = splitHoles(value);
    if ('message' in split || split.parts.every((part) => typeof part === 'string')) return value;
    const [only, ...more] = split.parts;
    if (more.length === 0) return { $expr: (only as HolePart).expr };
    return { [TEXT]: split.parts.map((part) => (typeof part === 'string' ? part : { $expr: part.expr })) };
  }
  if (Array.isArray(value)) return value.map(withHoles);
  if (!isObject(value) || exprOf(value) !== undefined) return value;
  return spellLike(Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withHoles(one)])), value);
}

/** The value with its expressions evaluated. What an expression gives is not looked into. */
export function render(value: Json, evaluate: (text: string) => Json): Json {
  if (Array.isArray(value)) return value.map((one) => render(one, evaluate));
  if (!isObject(value)) return value;
  const text = exprOf(value);
  if (text !== undefined) return evaluate(text);
  const parts = value[TEXT];
  if (Array.isArray(parts)) return parts.map((part) => textOf(part, evaluate)).join('');
  return spellLike(
    Object.fromEntries(Object.entries(value).map(([name, one]) => [name, render(one, evaluate)])),
    value,
  );
}

function textOf(part: Json, evaluate: (text: string) => Json): string {
  const value = render(part, evaluate);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An expression with this value: JSON with its `$expr` in place. */
export function celOf(value: Json): string {
  const text = exprOf(value);
  if (text !== undefined) return `(${text})`;
  if (Array.isArray(value)) return `[${value.map(celOf).join(', ')}]`;
  if (!isObject(value)) return isNumber(value) ? celNumber(value) : JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${celOf(one)}`);
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
