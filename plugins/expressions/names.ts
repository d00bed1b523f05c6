import type { ExpressionProblem } from '../../kernel/contracts/index.ts';
import type { Expr } from './ast.ts';
import { partsOf } from './ast.ts';
import { isPattern, NAMED, OPERATORS } from './functions.ts';

/** Names of types: `type(event.payload) == map`. */
const TYPES = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
/** Macros that are used like functions: they stay calls. */
const MACROS = new Map([
  ['has', 'takes a field: has(event.key)'],
  ['all', 'takes a name and a predicate: list.all(x, x > 0)'],
  ['exists', 'takes a name and a predicate: list.exists(x, x > 0)'],
  ['exists_one', 'takes a name and a predicate: list.exists_one(x, x > 0)'],
  ['existsOne', 'takes a name and a predicate: list.existsOne(x, x > 0)'],
  ['filter', 'takes a name and a predicate: list.filter(x, x > 0)'],
  ['map', 'takes a name and what becomes of it: list.map(x, x + 1)'],
]);

interface Fault {
  id: bigint;
  message: string;
}

/** Unknown variables and functions, and messages, which JSON does not have. */
export function unknownNames(expr: Expr, roots: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  const say = ({ id }: Expr, message: string) => faults.push({ id, message });

  function visit(at: Expr, known: ReadonlySet<string>): void {
    const { case: kind, value } = at.exprKind;
    if (kind === 'identExpr' && !known.has(value.name) && !TYPES.has(value.name))
      say(at, `unknown name \`${value.name.slice(0, 64)}\`: ${allowed(roots)}`);
    if (kind === 'callExpr') {
      const fault = functionFault(value.function, value.target !== undefined);
      if (fault !== undefined) say(at, fault);
      const pattern = value.function === 'matches' ? textOf(value.args[0]) : undefined;
      if (pattern !== undefined && !isPattern(pattern))
        say(value.args[0]!, 'this is not a regular expression that RE2 supports');
    }
    if (kind === 'constExpr' && isOutOfRange(value)) say(at, 'the number is too large');
    if (kind === 'structExpr' && value.messageName !== '')
      say(at, `\`${value.messageName.slice(0, 64)}{…}\`: protobuf messages are not supported, only JSON`);
    if (kind !== 'comprehensionExpr') {
      for (const part of partsOf(at)) visit(part, known);
      return;
    }
    const inside = new Set([...known, value.iterVar, value.accuVar]);
    for (const part of [value.iterRange, value.accuInit]) if (part) visit(part, known);
    for (const part of [value.loopCondition, value.loopStep, value.result]) if (part) visit(part, inside);
  }

  visit(expr, new Set(roots));
  return faults;
}

function textOf(expr: Expr | undefined): string | undefined {
  if (expr?.exprKind.case !== 'constExpr') return undefined;
  const { constantKind } = expr.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : undefined;
}

function isOutOfRange({
  constantKind: { case: kind, value },
}: Extract<Expr['exprKind'], { case: 'constExpr' }>['value']) {
  if (kind === 'int64Value') return value < -(2n ** 63n) || value >= 2n ** 63n;
  return kind === 'uint64Value' && value >= 2n ** 64n;
}

const allowed = (roots: readonly string[]): string =>
  roots.length === 0 ? 'no names are allowed here' : `allowed: ${roots.join(', ')}`;

function functionFault(name: string, method: boolean): string | undefined {
  if (OPERATORS.has(name)) return undefined;
  const forms = NAMED.get(name);
  if (forms?.has(method ? 'method' : 'global')) return undefined;
  const shown = `\`${name.slice(0, 64)}\``;
  const macro = MACROS.get(name);
  if (macro !== undefined) return `${shown} ${macro}`;
  if (forms === undefined) return `unknown function ${shown}`;
  return method ? `${shown} is called as ${name}(x)` : `${shown} is called on a value: x.${name}(…)`;
}

/** Line and column of an offset, counted from 1. */
export function placeOf(source: string, offset: number): Pick<ExpressionProblem, 'line' | 'column'> {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
