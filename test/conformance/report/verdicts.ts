import type { Outcome, Ran } from './messages.ts';
import { reasonOf } from './reasons.ts';
import { type Rule, ruleOf } from './rules.ts';
import type { UnitTest } from './unit-tests.ts';

/** A scenario as the report lists it. `not_chosen`: this call ran other files, or another part. */
export interface Scenario {
  file: string;
  name: string;
  rules: string[];
  result: 'passed' | 'failed' | 'not_applicable' | 'not_chosen';
  /** Of what is not applicable. */
  reason?: string;
  /** Of what failed. */
  message?: string;
  seconds: number;
}

/**
 * `passed`: at least one of its scenarios ran, and all that ran passed. `not_applicable`: all of its scenarios are.
 * `not_chosen`: none ran, and some were not chosen. `not_covered`: no scenario names it.
 */
export type Verdict = 'passed' | 'failed' | 'not_applicable' | 'not_chosen' | 'not_covered';

export interface RuleVerdict {
  rule: string;
  result: Verdict;
  /** Of what is not applicable or not covered, each once. */
  reasons: string[];
  scenarios: { scenario: string; result: Scenario['result'] }[];
}

const INSIDE = 'nobody sees it from outside: a unit test of this implementation shows it';

/** Of a run that leaves out scenarios with these tags. */
export function scenariosOf(ran: readonly Ran[], left_out: readonly string[]): Scenario[] {
  return ran.map(({ file, name, tags, steps, outcome, message, seconds }) => {
    const rules = [...new Set(tags.flatMap((tag) => ruleOf(tag) ?? []))];
    const why = outcome === 'left_out' ? (message ?? 'a program that it needs is not installed') : undefined;
    const reason = outcome === 'not_run' ? reasonOf({ tags, steps }, left_out) : why;
    const result = resultOf(outcome, reason);
    return {
      ...{ file, name, rules, result, seconds },
      ...(result === 'not_applicable' ? { reason: reason! } : {}),
      ...(result === 'failed' && message !== undefined ? { message } : {}),
    };
  });
}

function resultOf(outcome: Outcome, reason: string | undefined): Scenario['result'] {
  if (outcome === 'passed' || outcome === 'failed') return outcome;
  return reason === undefined ? 'not_chosen' : 'not_applicable';
}

/** `tests`: the unit tests that name rules. */
export function verdictsOf(
  rules: readonly Rule[],
  scenarios: readonly Scenario[],
  tests: readonly UnitTest[],
): RuleVerdict[] {
  return rules.map(({ id, same }) => {
    const own = scenarios.filter((one) => one.rules.includes(id) || (same !== undefined && one.rules.includes(same)));
    const inside = own.length === 0 && tests.some(({ tags }) => tags.includes(`@${id}`));
    return {
      rule: id,
      result: verdictOf(own.map(({ result }) => result)),
      reasons: inside ? [INSIDE] : [...new Set(own.flatMap(({ reason }) => reason ?? []))],
      scenarios: own.map(({ file, name, result }) => ({ scenario: `${file}: ${name}`, result })),
    };
  });
}

function verdictOf(results: readonly Scenario['result'][]): Verdict {
  for (const result of ['failed', 'passed', 'not_chosen', 'not_applicable'] as const)
    if (results.includes(result)) return result;
  return 'not_covered';
}
