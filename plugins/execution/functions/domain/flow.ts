import type { EvaluationResult, Expressions, Fault } from '../../../../kernel/contracts/index.ts';
import { findConcurrencyErrors, type Json, type RunConcurrency } from '../../../engine/runs/contract.ts';
import { findCheapErrors } from '../../../platform/expressions/contract.ts';
import { functionKeyFailed } from '../errors.ts';
import type { FunctionRegistration } from './registration.ts';

type Registered = Pick<FunctionRegistration, 'concurrency' | 'priority'>;
type Group = Exclude<NonNullable<FunctionRegistration['concurrency']>, number>;

/** How the runs of a workflow take turns. */
export interface FunctionFlow {
  /** Without `per_worker`, which is the worker's business. */
  concurrency?: Omit<Group, 'per_worker'>;
  /** 0 to 9, or an expression that yields such a number. */
  priority?: number | string;
}

/** The names that its expressions can use. */
const ROOTS = ['input'];
const MAX_GROUP_LENGTH = 255;
const MAX_PRIORITY = 9;

/** How many runs one worker executes at a time; undefined: as many as it has slots. */
export const perWorkerOf = ({ concurrency }: Pick<Registered, 'concurrency'>): number | undefined =>
  typeof concurrency === 'object' ? concurrency.per_worker : concurrency;

/** What the server does for the runs of a workflow; undefined: nothing. */
export function flowOf({ concurrency, priority }: Registered): FunctionFlow | undefined {
  const { per_worker: _worker, ...group } = typeof concurrency === 'object' ? concurrency : {};
  const is_grouped = Object.keys(group).length > 0;
  if (!is_grouped && priority === undefined) return undefined;
  return { ...(is_grouped && { concurrency: group }), ...(priority !== undefined && { priority }) };
}

/** The options as they were registered. */
export function optionsOfFlow(flow: FunctionFlow | undefined, per_worker: number | undefined): Registered {
  const { concurrency: group, priority } = flow ?? {};
  const concurrency = group ? { ...group, ...(per_worker !== undefined && { per_worker }) } : per_worker;
  return { ...(concurrency !== undefined && { concurrency }), ...(priority !== undefined && { priority }) };
}

/** Checks the options of a workflow. `at` is the JSON pointer to them. */
export function findFlowErrors(
  expressions: Pick<Expressions, 'check'>,
  { concurrency, priority }: FunctionFlow,
  at: string,
): Fault[] {
  const find = (member: string, source: string | undefined) =>
    findCheapErrors(expressions, source, { pointer: `${at}/${member}`, roots: ROOTS, evaluated_for: 'run' });
  return [
    ...find('concurrency/key', concurrency?.key),
    ...findConcurrencyErrors(concurrency ?? {}, `${at}/concurrency`),
    ...find('priority', typeof priority === 'string' ? priority : undefined),
  ];
}

/** The group and the priority of a run with this input. Throws `function_key_failed`. */
export function computeFlow(
  expressions: Pick<Expressions, 'compile'>,
  name: string,
  { concurrency, priority }: FunctionFlow,
  input: Json,
): { concurrency?: RunConcurrency; priority?: number } {
  const computed = priority === undefined ? undefined : computePriority(expressions, priority, input);
  return {
    ...(concurrency && { concurrency: toGroup(expressions, name, concurrency, input) }),
    ...(computed !== undefined && { priority: computed }),
  };
}

function toGroup(
  expressions: Pick<Expressions, 'compile'>,
  name: string,
  { key, group = `function/${name}`, ...options }: NonNullable<FunctionFlow['concurrency']>,
  input: Json,
): RunConcurrency {
  if (key === undefined) return { group, ...options };
  const result = expressions.compile(key, ROOTS).evaluate({ input });
  if (!result.ok) throw keyFailed(name, `${key} could not be evaluated: ${result.reason}`);
  const { value } = result;
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    throw keyFailed(name, `${key} must be a string, a number or a boolean`);
  const lock = `${group}/${String(value)}`;
  if (lock.length > MAX_GROUP_LENGTH || /\p{Cc}/u.test(lock) || !lock.isWellFormed())
    throw keyFailed(name, `${key} must have fewer characters, and no control characters`);
  return { group: lock, ...options };
}

function keyFailed(name: string, problem: string) {
  const message = `the concurrency key ${problem}`;
  return functionKeyFailed(`the workflow ${JSON.stringify(name)}: ${message}`, {
    errors: [{ pointer: '/input', message }],
  });
}

/** A priority that is no number counts as 0, because a run must not be lost for it. */
function computePriority(expressions: Pick<Expressions, 'compile'>, priority: number | string, input: Json): number {
  if (typeof priority === 'number') return priority;
  const result: EvaluationResult = expressions.compile(priority, ROOTS).evaluate({ input });
  const level = result.ok ? Math.trunc(Number(result.value)) : 0;
  return Number.isFinite(level) ? Math.max(0, Math.min(MAX_PRIORITY, level)) : 0;
}
