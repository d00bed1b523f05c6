import {
  type Expression,
  type ExpressionProblem,
  type Expressions,
  type Fault,
  isServiceError,
} from '../../../kernel/contracts/index.ts';
import { meant } from '../../schema/contract.ts';
import type { Findings } from './findings.ts';
import { PreparedExpressions } from './prepared-expressions.ts';
import type { Found } from './values.ts';

/** The names that an expression of a graph may use at its root. */
export const ROOTS = ['input', 'nodes', 'item', 'index', 'run'] as const;
/** The names that a predicate of an event may use. */
const EVENT = ['event'] as const;
/** What is known of a node that is over, and of the run. */
const OF_NODE: readonly string[] = ['output', 'status', 'error', 'case'];
const OF_RUN: readonly string[] = ['id', 'subject', 'trigger', 'fired'];
const IN_ITEMS = ['item', 'index'] as const;

/** Where an expression stands. */
export interface Place {
  /** `item` and `index` are known. */
  items: boolean;
  /** Why a node cannot be read there; undefined when it can. */
  unreadable(id: string): string | (() => string) | undefined;
}

export interface CheckedExpressions {
  /** Ids of nodes that are read. */
  reads: Set<string>;
  /** `item` or `index` is used. */
  of_item: boolean;
}

const said = (line: number, column: number, message: string) => `line ${line}, column ${column}: ${message}`;

function guessOf(text: string, known: readonly string[]): string {
  const near = meant(text, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** A place in an expression, counted from the begin of the string that holds it. */
function placed({ offset }: Found, { line, column }: { line: number; column: number }) {
  if (!offset) return { line, column };
  return { line: offset.line + line - 1, column: line === 1 ? offset.column + column - 1 : column };
}

/** Compiles expressions and finds what they read. */
export function checkExpressions(
  expressions: Expressions,
  found: readonly Found[],
  place: Place,
  findings: Findings,
): CheckedExpressions {
  const checked: CheckedExpressions = { reads: new Set(), of_item: false };
  for (const one of found) checkOne(expressions, one, place, findings, checked);
  return checked;
}

function checkOne(
  expressions: Expressions,
  one: Found,
  place: Place,
  findings: Findings,
  checked: CheckedExpressions,
): void {
  const fault = (at: { line: number; column: number }, text: string | (() => string)) => {
    const { line, column } = placed(one, at);
    findings.add(one.pointer, () => said(line, column, typeof text === 'string' ? text : text()));
  };
  const expression = compiled(expressions, one.text, ROOTS);
  if (Array.isArray(expression)) {
    for (const problem of expression) fault(problem, problem.message);
    return;
  }
  for (const use of expression.uses('nodes')) {
    const { member } = use;
    if (member === null) fault(use, 'names no node: write nodes.<id>, or nodes["<id>"] for an id with a hyphen');
    else {
      const reason = place.unreadable(member);
      if (reason === undefined) checked.reads.add(member);
      else fault(use, reason);
      if (use.inner !== null && !OF_NODE.includes(use.inner))
        fault(
          use,
          `a node has no ${use.inner}: nodes.${member} has ${OF_NODE.join(', ')}${guessOf(use.inner, OF_NODE)}`,
        );
    }
  }
  for (const use of expression.uses('run'))
    if (use.member !== null && !OF_RUN.includes(use.member))
      fault(use, `there is no run.${use.member}: run has ${OF_RUN.join(', ')}${guessOf(use.member, OF_RUN)}`);
  for (const name of IN_ITEMS)
    for (const use of expression.uses(name)) {
      checked.of_item = true;
      if (!place.items) fault(use, `${name} is known only in the node of a fan_out`);
    }
}

/** The faults of a predicate over `event`. */
export function predicateFaults(expressions: Expressions, text: string, pointer: string): Fault[] {
  const expression = compiled(expressions, text, EVENT);
  if (!Array.isArray(expression)) return [];
  return expression.map(({ line, column, message }) => ({ pointer, message: said(line, column, message) }));
}

/** The cached expression, or its problems. */
function compiled(expressions: Expressions, text: string, roots: readonly string[]): Expression | ExpressionProblem[] {
  if (expressions instanceof PreparedExpressions) return expressions.find(text, roots);
  try {
    return expressions.compile(text, roots);
  } catch (error) {
    if (!isServiceError(error, 'expression_invalid')) throw error;
    return error.extras.data?.problems as ExpressionProblem[];
  }
}
