import { type Expressions, isServiceError, type Scope } from '../../../../kernel/contracts/index.ts';
import { PREDICATE_ROOTS } from '../../bus/contract.ts';
import {
  type DocumentCheck,
  type Problem,
  REFERENCE_FORMS,
  type RunEngine,
  withWorkflow,
  type Workflow,
} from '../../../engine/runs/contract.ts';
import {
  validateWithSuggestions,
  positionInside,
  positionOf,
  readJsonText,
} from '../../../platform/schema/contract.ts';
import { validatePatterns } from '../contract.ts';
import { parseRetry, type RetryBody } from '../domain/retry.ts';
import { type FlowBody, parseFlowOptions } from '../contract/flow-options.ts';
import put from '../schema/put-handler.schema.json' with { type: 'json' };

export interface CheckDeps {
  expressions: Expressions;
  engine: () => Pick<RunEngine, 'check'>;
}

const MEMBERS = ['on', 'when', ...REFERENCE_FORMS];

/** Checks a handler document as its registration would: patterns, predicate and workflow. */
export const handlerCheck = (deps: CheckDeps): DocumentCheck => ({
  kind: 'handler',
  recognises: (document) => document.version === undefined && MEMBERS.some((member) => member in document),
  check: (scope, source) => findProblems(deps, scope, source),
});

const validateShape = validateWithSuggestions(withWorkflow(put));

async function findProblems(deps: CheckDeps, scope: Scope, text: string): Promise<Problem[]> {
  const parsed = readJsonText(text);
  if ('error' in parsed) return [{ ...parsed.error, code: 'json_invalid' }];
  const problemAt = (pointer: string, message: string, code = 'handler_invalid'): Problem => ({
    ...positionOf(text, pointer),
    message: `${pointer} ${message}`.trimStart(),
    code,
  });
  const shape = validateShape(parsed.value).map(({ pointer, message }) => problemAt(pointer, message));
  if (typeof parsed.value !== 'object' || parsed.value === null) return shape;
  const { on, when, concurrency, throttle, rate_limit, debounce, batch, priority, retry, ...workflow } =
    parsed.value as {
      [name: string]: unknown;
    };
  const patterns = isStringArray(on)
    ? validatePatterns(on).map(({ pointer, message }) => problemAt(pointer, message))
    : [];
  const predicate = typeof when === 'string' ? predicateProblems(deps, text, when) : [];
  const flow = { concurrency, throttle, rate_limit, debounce, batch, priority } as FlowBody;
  const options = shape.length > 0 ? [] : optionProblems(deps, flow, retry as RetryBody | undefined, problemAt);
  // A document of the wrong shape cannot be checked any further.
  const inner = shape.length > 0 ? [] : await workflowProblems(deps, scope, workflow as Workflow, problemAt);
  return [
    ...new Map(
      [...shape, ...patterns, ...predicate, ...options, ...inner].map((problem) => [JSON.stringify(problem), problem]),
    ).values(),
  ];
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const predicateProblems = ({ expressions }: CheckDeps, text: string, when: string): Problem[] =>
  expressions.check(when, PREDICATE_ROOTS).map(({ line, column, message }) => ({
    ...positionInside(text, '/when', { line, column }),
    message: `/when ${message}`,
    code: 'expression_invalid',
  }));

function optionProblems(
  { expressions }: CheckDeps,
  flow: FlowBody,
  retry: RetryBody | undefined,
  problemAt: (pointer: string, message: string, code: string) => Problem,
): Problem[] {
  try {
    parseFlowOptions(expressions, flow);
    if (retry) parseRetry(retry);
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return (error.extras.errors ?? []).map(({ pointer, message }) => problemAt(pointer, message, 'handler_invalid'));
  }
}

/** The workflow's problems have positions within an inner text; they are mapped to members of this document. */
async function workflowProblems(
  { engine }: CheckDeps,
  scope: Scope,
  workflow: Workflow,
  problemAt: (pointer: string, message: string, code: string) => Problem,
): Promise<Problem[]> {
  const form = REFERENCE_FORMS.find((candidate) => workflow[candidate] !== undefined);
  const pointer = form === undefined ? '' : `/${form}`;
  try {
    const problems = await engine().check(scope, workflow);
    return problems.map(({ line, column, message, code }) =>
      message.startsWith('/') || form !== 'source'
        ? problemAt(/^\/\S*/.exec(message)?.[0] ?? pointer, message.replace(/^\/\S* /, ''), code)
        : problemAt(pointer, `${line}:${column} ${message}`, code),
    );
  } catch (error) {
    if (!isServiceError(error) || error.status >= 500) throw error;
    return [problemAt(pointer, error.message, error.code)];
  }
}
