import type { ExpressionProblem } from '../../../kernel/contracts/index.ts';
import { suggestName } from '../schema/contract.ts';
import type { Expr } from './ast.ts';
import { childrenOf } from './ast.ts';
import { isPattern, NAMED, OPERATORS } from './functions.ts';

/** The names of types: `type(event.payload) == map`. */
const TYPES = new Set(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
/** Macros that were called like functions, so that the parser left them as calls. */
const MACROS = new Map([
  ['has', 'takes a field: has(event.key)'],
  ['all', 'takes a name and a predicate: list.all(x, x > 0)'],
  ['exists', 'takes a name and a predicate: list.exists(x, x > 0)'],
  ['exists_one', 'takes a name and a predicate: list.exists_one(x, x > 0)'],
  ['existsOne', 'takes a name and a predicate: list.existsOne(x, x > 0)'],
  ['filter', 'takes a name and a predicate: list.filter(x, x > 0)'],
  ['map', 'takes a name and an expression: list.map(x, x + 1)'],
]);

interface NameProblem {
  id: bigint;
  message: string;
}

/** Finds unknown variables and functions, invalid patterns, numbers out of range, and protobuf messages. */
export function unknownNames(expr: Expr, roots: readonly string[]): NameProblem[] {
  const problems: NameProblem[] = [];
  const report = ({ id }: Expr, message: string) => problems.push({ id, message });

  function visit(at: Expr, scope: ReadonlySet<string>): void {
    const { case: kind, value } = at.exprKind;
    if (kind === 'identExpr' && !scope.has(value.name) && !TYPES.has(value.name))
      report(at, `unknown name \`${value.name.slice(0, 64)}\`: ${describeAllowed(value.name, roots)}`);
    if (kind === 'callExpr') {
      const problem = validateFunction(value.function, value.target !== undefined);
      if (problem !== undefined) report(at, problem);
      const pattern = value.function === 'matches' ? textOf(value.args[0]) : undefined;
      if (pattern !== undefined && !isPattern(pattern))
        report(value.args[0]!, 'this is not a regular expression that RE2 supports');
    }
    if (kind === 'constExpr' && isOutOfRange(value)) report(at, 'the number is too large');
    if (kind === 'structExpr' && value.messageName !== '')
      report(at, `\`${value.messageName.slice(0, 64)}{…}\`: protobuf messages are not supported, only JSON`);
    if (kind !== 'comprehensionExpr') {
      for (const child of childrenOf(at)) visit(child, scope);
      return;
    }
    const inside = new Set([...scope, value.iterVar, value.accuVar]);
    for (const child of [value.iterRange, value.accuInit]) if (child) visit(child, scope);
    for (const child of [value.loopCondition, value.loopStep, value.result]) if (child) visit(child, inside);
  }

  visit(expr, new Set(roots));
  return problems;
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

function describeAllowed(name: string, roots: readonly string[]): string {
  if (roots.length === 0) return 'no names are allowed here';
  const suggestion = suggestName(name, roots);
  return `allowed: ${roots.join(', ')}${suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`}`;
}

function validateFunction(name: string, method: boolean): string | undefined {
  if (OPERATORS.has(name)) return undefined;
  const forms = NAMED.get(name);
  if (forms?.has(method ? 'method' : 'global')) return undefined;
  const quoted = `\`${name.slice(0, 64)}\``;
  const macro = MACROS.get(name);
  if (macro !== undefined) return `${quoted} ${macro}`;
  if (forms === undefined) return `unknown function ${quoted}`;
  return method ? `${quoted} is called as ${name}(x)` : `${quoted} is called on a value: x.${name}(…)`;
}

/** Returns the line and column of an offset, counted from 1. */
export function positionOf(source: string, offset: number): Pick<ExpressionProblem, 'line' | 'column'> {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
