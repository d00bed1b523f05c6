import {
  type Expression,
  type ExpressionProblem,
  type Expressions,
  type Fault,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import { suggestName } from '../../../platform/schema/contract.ts';
import type { Findings } from './findings.ts';
import { PreparedExpressions } from './prepared-expressions.ts';
import type { LocatedExpression } from './values.ts';

/** The names that an expression of a graph may use at its root. */
export const ROOTS = ['input', 'inputs', 'nodes', 'item', 'index', 'run', 'vars'] as const;
/** The names that the predicate of a trigger may use, and that of a node. */
const EVENT = ['event'] as const;
const PREDICATE_ROOTS = [...EVENT, ...ROOTS] as const;
/** The fields of a finished node and of the run. */
const NODE_FIELDS: readonly string[] = ['output', 'status', 'error', 'case'];
const RUN_FIELDS: readonly string[] = ['id', 'subject', 'trigger', 'fired'];
const ITEM_ROOTS = ['item', 'index'] as const;

/** What an expression may read, depending on where it stands. */
export interface ReadScope {
  /** `item` and `index` are known. */
  items: boolean;
  /** The declared inputs: `names` unless others may be among them. Absent: none are declared. */
  inputs?: { names?: readonly string[] } | undefined;
  /** The expression is in the nodes of an `each`. */
  loop?: { has_input: boolean } | undefined;
  /** Explains why the expression cannot read a node; undefined when it can. */
  explainUnreadable(id: string): string | (() => string) | undefined;
}

export interface ExpressionReads {
  /** Ids of nodes that are read. */
  reads: Set<string>;
  /** `item` or `index` is used. */
  uses_item: boolean;
}

const formatAt = (line: number, column: number, message: string) => `line ${line}, column ${column}: ${message}`;

function suggest(text: string, candidates: readonly string[]): string {
  const suggestion = suggestName(text, candidates);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** Returns a position in an expression relative to the begin of the string that contains it. */
function toTextPosition({ offset }: LocatedExpression, { line, column }: { line: number; column: number }) {
  if (!offset) return { line, column };
  return { line: offset.line + line - 1, column: line === 1 ? offset.column + column - 1 : column };
}

/** Compiles expressions and finds what they read. */
export function checkExpressions(
  expressions: Expressions,
  located: readonly LocatedExpression[],
  scope: ReadScope,
  findings: Findings,
): ExpressionReads {
  const checked: ExpressionReads = { reads: new Set(), uses_item: false };
  for (const expression of located) checkExpression(expressions, expression, scope, findings, checked);
  return checked;
}

function checkExpression(
  expressions: Expressions,
  located: LocatedExpression,
  scope: ReadScope,
  findings: Findings,
  checked: ExpressionReads,
): void {
  const report = (at: { line: number; column: number }, text: string | (() => string)) => {
    const { line, column } = toTextPosition(located, at);
    findings.add(located.pointer, () => formatAt(line, column, typeof text === 'string' ? text : text()));
  };
  const expression = compileOrProblems(expressions, located.text, located.event ? PREDICATE_ROOTS : ROOTS);
  if (Array.isArray(expression)) {
    for (const problem of expression) report(problem, problem.message);
    return;
  }
  for (const use of expression.uses('nodes')) {
    const { member } = use;
    if (member === null)
      report(use, 'does not name a node: write nodes.<id>, or nodes["<id>"] for an id with a hyphen');
    else {
      const reason = scope.explainUnreadable(member);
      if (reason === undefined) checked.reads.add(member);
      else report(use, reason);
      if (use.inner !== null && !NODE_FIELDS.includes(use.inner))
        report(
          use,
          `a node has no ${use.inner}: nodes.${member} has ${NODE_FIELDS.join(', ')}${suggest(use.inner, NODE_FIELDS)}`,
        );
    }
  }
  for (const { member } of expression.uses('vars')) if (member !== null) findings.addVariable(member, located.pointer);
  for (const use of expression.uses('run'))
    if (use.member !== null && !RUN_FIELDS.includes(use.member))
      report(use, `there is no run.${use.member}: run has ${RUN_FIELDS.join(', ')}${suggest(use.member, RUN_FIELDS)}`);
  for (const use of expression.uses('inputs')) {
    const names = scope.inputs?.names;
    if (scope.loop) report(use, 'the nodes of an each have no `inputs`; pass what they need with its `input`');
    else if (scope.inputs === undefined) report(use, 'the graph declares no `inputs`; declare them, or write input');
    else if (names !== undefined && use.member !== null && !names.includes(use.member))
      report(use, `the graph declares no input ${use.member}${suggest(use.member, names)}`);
  }
  if (scope.loop?.has_input === false)
    for (const use of expression.uses('input')) report(use, 'the each passes no `input` to its nodes; add one');
  for (const name of ITEM_ROOTS)
    for (const use of expression.uses(name)) {
      checked.uses_item = true;
      if (!scope.items) report(use, `${name} is available only in the node of a fan_out and in the nodes of an each`);
    }
}

/** Validates the predicate of a trigger. */
export function validatePredicate(expressions: Expressions, text: string, pointer: string): Fault[] {
  const expression = compileOrProblems(expressions, text, EVENT);
  if (!Array.isArray(expression)) return [];
  return expression.map(({ line, column, message }) => ({ pointer, message: formatAt(line, column, message) }));
}

/** The cached expression, or its problems. */
function compileOrProblems(
  expressions: Expressions,
  text: string,
  roots: readonly string[],
): Expression | ExpressionProblem[] {
  if (expressions instanceof PreparedExpressions) return expressions.find(text, roots);
  try {
    return expressions.compile(text, roots);
  } catch (error) {
    if (!isServiceError(error, 'expression_invalid')) throw error;
    return error.extras.data?.problems as ExpressionProblem[];
  }
}
