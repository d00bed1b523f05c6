import type { Expr } from './ast.ts';

/** How operators are written in the source. */
const SIGNS: Readonly<Record<string, string>> = { '!_': '!', '-_': '-', '@in': 'in' };
const MAX_LENGTH = 300;

/** Returns the path to a value as it is written in the source, with `…` for anything that is not a simple name. */
function pathOf(expr: Expr | undefined): string {
  const { case: kind, value } = expr?.exprKind ?? { case: undefined, value: undefined };
  if (kind === 'identExpr') return value.name;
  if (kind === 'selectExpr') return `${pathOf(value.operand)}.${value.field}`;
  if (kind === 'callExpr' && value.function === '_[_]') return `${pathOf(value.args[0])}[${keyOf(value.args[1])}]`;
  return '…';
}

function keyOf(expr: Expr | undefined): string {
  if (expr?.exprKind.case !== 'constExpr') return '…';
  const { case: kind, value } = expr.exprKind.value.constantKind;
  if (kind === 'stringValue') return JSON.stringify(value);
  return kind === 'int64Value' || kind === 'uint64Value' || kind === 'boolValue' ? String(value) : '…';
}

const signOf = (name: string) => SIGNS[name] ?? /^_(.+)_$/.exec(name)?.[1] ?? name;
const types = (text: string) => text.replaceAll('dyn', 'any');

/**
 * Our messages for errors of the library, by how these begin. The library repeats values in its messages. Ours are shown and
 * logged, so they contain only names, types and positions.
 */
const REASONS: readonly [RegExp, (match: RegExpExecArray, path: string) => string][] = [
  [/^field not found: /, (_, path) => `${path}: no such field`],
  [/^index (.* )?out of bounds/, (_, path) => `${path}: no such element`],
  [/^unresolved attribute/, (_, path) => `${path}: unknown name`],
  [/^unsupported key type/, (_, path) => `${path}: a key must be a string, a whole number, true or false`],
  [/^not indexable/, (_, path) => `${path}: only lists and maps have elements`],
  [/^not an index/, (_, path) => `${path}: the index of a list must be a whole number`],
  [
    /^found no matching overload for _\?_:_ applied to '\((.*)\)'/,
    ([, type]) => `a condition must be true or false, not ${type}`,
  ],
  [
    /^found no matching overload for '(.*)' applied to '(?:(.*)\.)?\((.*)\)'$/,
    ([, name, target, args]) =>
      `${signOf(name!)} does not take ${types([target, args].filter((one) => one).join(' with ')) || 'nothing'}`,
  ],
  [/^type mismatch: expected bool, got (.*)$/, ([, type]) => `&& and || need true or false, not ${types(type!)}`],
  [/^type mismatch: iterable vs (.*)$/, ([, type]) => `a loop needs a list or a map, not ${types(type!)}`],
  [/^u?int overflow/, () => 'a whole number is out of range'],
  [/(divide|modulus) by zero/, () => 'a division by zero'],
  [/^map key conflict/, () => 'a map has a key twice'],
  [/^error parsing regexp/, () => 'the pattern is not a regular expression that RE2 supports'],
  [/^Failed to parse timestamp/, () => 'the text is not a valid timestamp'],
  [/^Unable to convert/, () => 'the text is neither true nor false'],
  [/^Failed to decode bytes/, () => 'the bytes are not valid text'],
  [
    /^(the text is not a valid \w+|a pattern can have at most \d+ characters|the number is outside the range of \w+|a map has a key twice)$/,
    ([text]) => text,
  ],
];

/** Explains why there is no value: by the path of an absent field, or else by what went wrong and where. */
export function reasonOf(message: string, origin: Expr | undefined, position: string): string {
  const path = pathOf(origin).slice(0, MAX_LENGTH);
  for (const [pattern, describe] of REASONS) {
    const match = pattern.exec(message);
    if (!match) continue;
    const reason = describe(match, path);
    return reason.startsWith(`${path}: `) ? reason : `${position}: ${reason.slice(0, MAX_LENGTH)}`;
  }
  return `${position}: cannot be evaluated`;
}
