import { type Expression, type Expressions, type Fault, isServiceError } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { NodeAnswer } from '../contract.ts';
import type { FailedWhen, Pagination } from '../generated/http-config.ts';

/** What is said about the answers of a request. */
export interface AnswerRules {
  failed_when?: FailedWhen;
  paginate?: Pagination;
}

const ROOTS = ['status', 'headers', 'body'] as const;

/** Compiles an expression over an answer. Throws `expression_invalid`. */
export const compileAnswerExpression = (expressions: Expressions, source: string): Expression =>
  expressions.compile(source, ROOTS);

/** A failure that `failed_when` recognizes. */
export interface DeclaredFailure {
  /** Why `when` has no value; undefined when it is true. */
  reason: string | undefined;
  /** The text of the other system, unmasked. */
  message: string | undefined;
  /** Another attempt cannot succeed. */
  final: boolean;
}

type Answer = Pick<NodeAnswer, 'status' | 'headers' | 'body'>;

/** Returns undefined when the answer is no failure. */
export function evaluateFailedWhen(
  { when, message, retry_when }: FailedWhen,
  answer: Answer,
  expressions: Expressions,
): DeclaredFailure | undefined {
  const evaluate = (source: string) => compileAnswerExpression(expressions, source).test(scopeOf(answer));
  const failed = evaluate(when);
  if (failed.ok && !failed.value) return undefined;
  const text =
    message === undefined ? undefined : compileAnswerExpression(expressions, message).evaluate(scopeOf(answer));
  const retryable = retry_when === undefined ? undefined : evaluate(retry_when);
  return {
    reason: failed.ok ? undefined : failed.reason,
    message: text?.ok && text.value !== null ? toText(text.value) : undefined,
    final: retryable !== undefined && !(retryable.ok && retryable.value),
  };
}

/** Reads the items of a page, or says why there are none. */
export function readPage(
  { items }: Pagination,
  answer: Answer,
  expressions: Expressions,
): { items: readonly Json[] } | { problem: string } {
  const read = compileAnswerExpression(expressions, items).evaluate(scopeOf(answer));
  if (!read.ok) return { problem: `paginate.items: ${read.reason}` };
  return Array.isArray(read.value) ? { items: read.value as Json[] } : { problem: 'paginate.items is not a list' };
}

const scopeOf = ({ status, headers, body }: Answer) => ({ status, headers, body });

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The members that each kind of pagination requires, and those that it can have. */
const MEMBERS: Record<Pagination['kind'], { required: (keyof Pagination)[]; optional: (keyof Pagination)[] }> = {
  cursor: { required: ['next'], optional: ['query', 'body'] },
  page: { required: [], optional: ['query', 'body', 'more', 'first'] },
  offset: { required: [], optional: ['query', 'body', 'more', 'first'] },
  link: { required: [], optional: ['next'] },
};

/** Finds what a schema cannot express: invalid expressions, and members that do not fit the kind of the pagination. */
export function validateAnswerRules({ failed_when, paginate }: AnswerRules, expressions: Expressions): Fault[] {
  const { items, next, more } = paginate ?? {};
  const sources = {
    '/failed_when/when': failed_when?.when,
    '/failed_when/message': failed_when?.message,
    '/failed_when/retry_when': failed_when?.retry_when,
    '/paginate/items': items,
    '/paginate/next': next,
    '/paginate/more': more,
  };
  return [
    ...Object.entries(sources).flatMap(([pointer, source]) =>
      source === undefined ? [] : validateExpression(expressions, pointer, source),
    ),
    ...(paginate === undefined ? [] : validateKind(paginate)),
  ];
}

function validateKind(paginate: Pagination): Fault[] {
  const { kind, query, body } = paginate;
  const { required, optional } = MEMBERS[kind];
  const members = [...required, ...optional, 'kind', 'items', 'max_pages', 'max_items'];
  const errors: Fault[] = required
    .filter((name) => paginate[name] === undefined)
    .map((name) => ({ pointer: `/paginate/${name}`, message: `is required for kind ${kind}` }));
  for (const name of Object.keys(paginate))
    if (!members.includes(name))
      errors.push({ pointer: `/paginate/${name}`, message: `has no effect for kind ${kind}; remove it` });
  if (optional.includes('query') && (query === undefined) === (body === undefined))
    errors.push({
      pointer: '/paginate',
      message: 'must have either query or body, which defines where the page is selected',
    });
  return errors;
}

function validateExpression(expressions: Expressions, pointer: string, source: string): Fault[] {
  try {
    return expressions
      .check(source, ROOTS)
      .map(({ line, column, message }) => ({ pointer, message: `line ${line}, column ${column}: ${message}` }));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return [{ pointer, message: error.message }];
  }
}
