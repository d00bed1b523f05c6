import { hash } from 'node:crypto';
import {
  BoundedMap,
  Errors,
  type EvaluationCost,
  type EvaluationResult,
  type Expression,
  type Expressions,
  yieldToEventLoop,
} from '../../../../kernel/contracts/index.ts';
import {
  envelopeOf,
  type PredicateResult,
  type NewEvent,
  type PendingEvent,
  type PredicateEvaluator,
} from '../contract.ts';
import { toPredicateResult, PREDICATE_ROOTS } from '../contract/predicate-result.ts';

/** Maximum units of work for one predicate. */
const PREDICATE_UNITS = 150_000;
/** Units that all predicates of an event may use beyond the guaranteed share of each; enough for four costly ones. */
const EVENT_UNITS = 4 * PREDICATE_UNITS;
/** Units guaranteed to every predicate, however costly the others are. Most need a hundredth of this. */
const GUARANTEED_UNITS = 1000;
/**
 * Units that the predicates of an event may use under locks, about a millisecond. Anything longer is evaluated
 * beforehand.
 */
const LOCKED_UNITS = 10_000;
/** Units charged for compiling one character. */
const COMPILE_UNITS = 25;
/** Units between two yields to the event loop, counted over all events. */
const YIELD_UNITS = 100_000;
/** Maximum number of results kept for transactions that are about to be retried. */
const MAX_CACHED = 1000;
/**
 * An event that differs in every attempt of its transaction is evaluated beforehand this many times, then under the
 * locks.
 */
const MAX_ATTEMPTS = 4;

const BUDGET_EXHAUSTED: PredicateResult = {
  ok: false,
  reason:
    'event_budget_spent: the predicate was not evaluated, because the predicates for this event exceed their budget',
};

const VALUES_EXHAUSTED: EvaluationResult = {
  ok: false,
  reason: 'event_budget_spent: it was not evaluated, because the expressions for this event exceed their budget',
};

/** What an expression is evaluated for: whether it is true, or its value. */
interface Purpose<R extends EvaluationResult> {
  resultsOf(evaluation: EventEvaluation): Map<string, R>;
  run(expression: Expression, scope: Scope, max_units: number): R & EvaluationCost;
  convert(result: R | Failure): R;
  exhausted: R;
}

type Scope = Record<string, unknown>;
type Failure = { ok: false; reason: string };

const PREDICATES: Purpose<PredicateResult> = {
  resultsOf: ({ results }) => results,
  run: (expression, scope, max_units) => expression.test(scope, max_units),
  convert: toPredicateResult,
  exhausted: BUDGET_EXHAUSTED,
};

const VALUES: Purpose<EvaluationResult> = {
  resultsOf: ({ values }) => values,
  run: (expression, scope, max_units) => expression.evaluateWithin(scope, max_units),
  convert: (result) => (result.ok ? { ok: true, value: result.value } : { ok: false, reason: result.reason }),
  exhausted: VALUES_EXHAUSTED,
};

/** Units charged for opening one sealed predicate, and bytes of it that cost another one. */
const OPEN_UNITS = 200;
const BYTES_PER_UNIT = 8;

/** A predicate that reads values of its own besides the event. */
export interface BoundPredicate {
  /** Distinguishes it from others with the same text. */
  key: string;
  /** The size of what is opened. */
  bytes: number;
  /** Throws `sealed_value_unreadable`. */
  open(): { when: string; values: Readonly<Record<string, unknown>> };
}

/** The results of the predicates of one event. */
export interface EventEvaluation {
  event_id: string | undefined;
  /** Results by the text of the predicate, or by its key. */
  results: Map<string, PredicateResult>;
  /** The values of other expressions, by their text. */
  values: Map<string, EvaluationResult>;
  /** Units left of the event's budget. */
  remaining_units: number;
  /** Identifies the event across the attempts of its transaction; undefined when all attempts share one object. */
  identity?: string;
  body?: Buffer | undefined;
  digest?: string;
  attempts: number;
}

/** Units that evaluations under locks may still take. */
export interface LockedUnits {
  units: number;
}

export const lockedUnits = (): LockedUnits => ({ units: LOCKED_UNITS });

/** How many sealed predicates can be opened with these units at most. */
export const maxOpened = ({ units }: LockedUnits): number => Math.ceil(units / OPEN_UNITS);

const unitsToOpen = ({ bytes }: BoundPredicate): number => OPEN_UNITS + Math.ceil(bytes / BYTES_PER_UNIT);

/**
 * Evaluates the predicates and other expressions of events, with one budget per event. Whatever takes longer than a moment is evaluated
 * before the transaction that holds the project's lock (on SQLite the only writer), yielding to the event loop in
 * between. A result depends only on the event and the text of the predicate, so it holds inside the transaction too.
 * Predicates of handlers and waits that were added in between are evaluated under the lock, or make the transaction
 * retry.
 */
export class BudgetedEvaluator implements PredicateEvaluator {
  readonly #expressions: () => Expressions;
  readonly #evaluations = new WeakMap<PendingEvent, EventEvaluation>();
  readonly #cache = new BoundedMap<string, EventEvaluation>(MAX_CACHED);
  #units_since_yield = 0;

  constructor(expressions: () => Expressions) {
    this.#expressions = expressions;
  }

  /** Starts with an empty result, for an event whose object lives through all attempts to record it. */
  begin(): EventEvaluation {
    return {
      event_id: undefined,
      results: new Map(),
      values: new Map(),
      remaining_units: EVENT_UNITS,
      attempts: 0,
    };
  }

  /** Returns what an earlier attempt evaluated, with its event id, for an event that every attempt creates anew. */
  resume(event: NewEvent, body?: Buffer): EventEvaluation {
    const identity = identityOf(event);
    const cached = this.#cache.size === 0 ? undefined : this.#cache.get(identity);
    if (cached && cached.digest === digestOf(body)) return cached;
    return { ...this.begin(), identity, body, attempts: cached?.attempts ?? 0 };
  }

  attach(event: PendingEvent, evaluation: EventEvaluation): void {
    evaluation.event_id = event.event_id;
    this.#evaluations.set(event, evaluation);
  }

  /** The numbered event keeps the results of the pending one. */
  transfer(stored: PendingEvent, event: PendingEvent): void {
    this.#evaluations.set(stored, this.#evaluationOf(event));
  }

  /** The event is committed, so no further attempt will need its results. */
  evict(event: PendingEvent): void {
    const { identity } = this.#evaluationOf(event);
    if (identity !== undefined) this.#cache.delete(identity);
  }

  /** Evaluates predicates that the event may meet, outside of any transaction. */
  precompute(event: PendingEvent, predicates: readonly string[]): Promise<ReadonlyMap<string, PredicateResult>> {
    return this.#precompute(PREDICATES, event, predicates);
  }

  /** Evaluates other expressions that the event may meet, outside of any transaction. */
  precomputeValues(
    event: PendingEvent,
    expressions: readonly string[],
  ): Promise<ReadonlyMap<string, EvaluationResult>> {
    return this.#precompute(VALUES, event, expressions);
  }

  async #precompute<R extends EvaluationResult>(
    purpose: Purpose<R>,
    event: PendingEvent,
    sources: readonly string[],
  ): Promise<ReadonlyMap<string, R>> {
    const evaluation = this.#evaluationOf(event);
    const results = purpose.resultsOf(evaluation);
    const missing = missingResults(results, sources);
    if (missing.length > 0) await this.#evaluateAll(purpose, event, evaluation, missing);
    return results;
  }

  evaluate(event: PendingEvent, predicates: readonly string[]): ReadonlyMap<string, PredicateResult> {
    return this.#evaluateLocked(PREDICATES, event, predicates);
  }

  compute(event: PendingEvent, expressions: readonly string[]): ReadonlyMap<string, EvaluationResult> {
    return this.#evaluateLocked(VALUES, event, expressions);
  }

  #evaluateLocked<R extends EvaluationResult>(
    purpose: Purpose<R>,
    event: PendingEvent,
    sources: readonly string[],
  ): ReadonlyMap<string, R> {
    const evaluation = this.#evaluationOf(event);
    const known = purpose.resultsOf(evaluation);
    const missing = missingResults(known, sources);
    if (missing.length === 0) return known;
    const scope = { event: envelopeOf(event) };
    const results = new Map<string, R>();
    let remaining_units = LOCKED_UNITS;
    for (const source of missing) {
      const result = this.#evaluateUnderLock(purpose, source, scope, remaining_units);
      if (result === undefined && evaluation.attempts < MAX_ATTEMPTS)
        throw Errors.unavailable('predicates must be evaluated first', {
          outside: () => this.#prepareRetry(evaluation, () => this.#evaluateAll(purpose, event, evaluation, missing)),
        });
      remaining_units -= result?.units ?? 0;
      results.set(source, result?.result ?? purpose.exhausted);
    }
    for (const [source, result] of results) known.set(source, result);
    return known;
  }

  isEvaluated(event: PendingEvent, key: string): boolean {
    return this.#evaluationOf(event).results.has(key);
  }

  /**
   * Evaluates predicates with values of their own under locks, with results by key. `locked` has the units that are left
   * for all of them. Once these are spent, it throws, and `pages` lists all of them outside of the transaction.
   */
  evaluateBound(
    event: PendingEvent,
    predicates: readonly BoundPredicate[],
    locked: LockedUnits,
    pages: () => AsyncIterable<readonly BoundPredicate[]>,
  ): ReadonlyMap<string, PredicateResult> {
    const evaluation = this.#evaluationOf(event);
    const envelope = envelopeOf(event);
    for (const predicate of predicates) {
      if (evaluation.results.has(predicate.key)) continue;
      const result = this.#evaluateBoundUnderLock(predicate, envelope, locked);
      if (result === undefined && evaluation.attempts < MAX_ATTEMPTS)
        throw Errors.unavailable('predicates must be evaluated first', {
          outside: () => this.#prepareRetry(evaluation, () => this.#evaluateBoundPages(envelope, evaluation, pages())),
        });
      evaluation.results.set(predicate.key, result ?? BUDGET_EXHAUSTED);
    }
    return evaluation.results;
  }

  #evaluateBoundUnderLock(predicate: BoundPredicate, event: unknown, locked: LockedUnits): PredicateResult | undefined {
    const units = unitsToOpen(predicate);
    if (locked.units <= units) return undefined;
    locked.units -= units;
    const opened = tryOpen(predicate);
    if ('judgement' in opened) return toPredicateResult(opened.judgement);
    const { when, values, roots } = opened;
    const evaluated = this.#evaluateUnderLock(PREDICATES, when, { ...values, event }, locked.units, roots);
    locked.units -= evaluated?.units ?? locked.units;
    return evaluated?.result;
  }

  async #evaluateBoundPages(
    event: unknown,
    evaluation: EventEvaluation,
    pages: AsyncIterable<readonly BoundPredicate[]>,
  ): Promise<void> {
    for await (const page of pages)
      for (const predicate of page)
        if (!evaluation.results.has(predicate.key))
          evaluation.results.set(predicate.key, await this.#evaluateBoundYielding(predicate, event, evaluation));
  }

  async #evaluateBoundYielding(
    predicate: BoundPredicate,
    event: unknown,
    evaluation: EventEvaluation,
  ): Promise<PredicateResult> {
    await this.#awaitYield();
    this.#chargeUnits(unitsToOpen(predicate));
    const opened = tryOpen(predicate);
    if ('judgement' in opened) return toPredicateResult(opened.judgement);
    const { when, values, roots } = opened;
    const expression = await this.#compileYielding(when, roots);
    if ('judgement' in expression) return toPredicateResult(expression.judgement);
    const scope = { ...values, event };
    const result = await this.#runYielding(PREDICATES, expression, scope, GUARANTEED_UNITS);
    return result.spent ? this.#evaluateCostly(PREDICATES, evaluation, expression, scope) : toPredicateResult(result);
  }

  #evaluationOf(event: PendingEvent): EventEvaluation {
    const evaluation = this.#evaluations.get(event);
    if (evaluation === undefined) throw new Error(`the predicates over ${event.event_id} are not prepared`);
    return evaluation;
  }

  /** Returns undefined when evaluation needs more units than remain. */
  #evaluateUnderLock<R extends EvaluationResult>(
    purpose: Purpose<R>,
    source: string,
    scope: Scope,
    remaining_units: number,
    roots: readonly string[] = PREDICATE_ROOTS,
  ): { result: R; units: number } | undefined {
    const compiled = this.#expressions().ready(source, roots);
    const compile_units = compiled ? 0 : source.length * COMPILE_UNITS;
    if (compile_units >= remaining_units) return undefined;
    const expression = compiled ?? this.#compile(source, roots);
    if ('judgement' in expression) return { result: purpose.convert(expression.judgement), units: compile_units };
    const result = purpose.run(expression, scope, remaining_units - compile_units);
    return result.spent ? undefined : { result: purpose.convert(result), units: compile_units + result.units };
  }

  async #prepareRetry(evaluation: EventEvaluation, evaluateMissing: () => Promise<void>): Promise<void> {
    evaluation.attempts += 1;
    await evaluateMissing();
    const { identity, body } = evaluation;
    if (identity === undefined) return;
    evaluation.digest = digestOf(body);
    evaluation.body = undefined;
    this.#cache.set(identity, evaluation);
  }

  /**
   * Every expression first gets its guaranteed share, so that costly ones take nothing from the others; then the
   * costly ones run in order.
   */
  async #evaluateAll<R extends EvaluationResult>(
    purpose: Purpose<R>,
    event: PendingEvent,
    evaluation: EventEvaluation,
    missing: readonly string[],
  ): Promise<void> {
    const scope = { event: envelopeOf(event) };
    const results = purpose.resultsOf(evaluation);
    const costly: [string, Expression][] = [];
    for (const source of missing) {
      const expression = await this.#compileYielding(source);
      if ('judgement' in expression) results.set(source, purpose.convert(expression.judgement));
      else {
        const result = await this.#runYielding(purpose, expression, scope, GUARANTEED_UNITS);
        if (result.spent) costly.push([source, expression]);
        else results.set(source, purpose.convert(result));
      }
    }
    for (const [source, expression] of costly)
      results.set(source, await this.#evaluateCostly(purpose, evaluation, expression, scope));
  }

  async #evaluateCostly<R extends EvaluationResult>(
    purpose: Purpose<R>,
    evaluation: EventEvaluation,
    expression: Expression,
    scope: Scope,
  ): Promise<R> {
    const max_units = Math.min(evaluation.remaining_units, PREDICATE_UNITS);
    if (max_units <= 0) return purpose.exhausted;
    const result = await this.#runYielding(purpose, expression, scope, max_units);
    evaluation.remaining_units -= result.units;
    return result.spent && max_units < PREDICATE_UNITS ? purpose.exhausted : purpose.convert(result);
  }

  async #runYielding<R extends EvaluationResult>(
    { run }: Purpose<R>,
    expression: Expression,
    scope: Scope,
    max_units: number,
  ): Promise<R & EvaluationCost> {
    await this.#awaitYield();
    const result = run(expression, scope, max_units);
    this.#chargeUnits(result.units);
    return result;
  }

  async #compileYielding(
    source: string,
    roots: readonly string[] = PREDICATE_ROOTS,
  ): Promise<Expression | { judgement: Failure }> {
    const compiled = this.#expressions().ready(source, roots);
    if (compiled) return compiled;
    await this.#awaitYield();
    this.#chargeUnits(source.length * COMPILE_UNITS);
    return this.#compile(source, roots);
  }

  /** The predicate compiled when it was registered or armed, but the service may have changed since. */
  #compile(source: string, roots: readonly string[]): Expression | { judgement: Failure } {
    try {
      return this.#expressions().compile(source, roots);
    } catch (error) {
      return { judgement: toFailure(error) };
    }
  }

  async #awaitYield(): Promise<void> {
    while (this.#units_since_yield >= YIELD_UNITS) await yieldToEventLoop();
  }

  #chargeUnits(units: number): void {
    const before = this.#units_since_yield;
    this.#units_since_yield += units;
    if (before < YIELD_UNITS && this.#units_since_yield >= YIELD_UNITS)
      void yieldToEventLoop().then(() => {
        this.#units_since_yield = 0;
      });
  }
}

const toFailure = (error: unknown): Failure => ({
  ok: false,
  reason: error instanceof Error ? error.message : String(error),
});

/** A predicate that cannot be opened declines, so that the event reaches the others. */
function tryOpen(
  predicate: BoundPredicate,
): (ReturnType<BoundPredicate['open']> & { roots: readonly string[] }) | { judgement: Failure } {
  try {
    const opened = predicate.open();
    return { ...opened, roots: [...PREDICATE_ROOTS, ...Object.keys(opened.values)] };
  } catch (error) {
    return { judgement: toFailure(error) };
  }
}

const missingResults = (results: ReadonlyMap<string, unknown>, sources: readonly string[]): string[] =>
  [...new Set(sources)].filter((source) => !results.has(source));

const identityOf = ({ project_id, event_id, type, key, source, source_name, dedup }: NewEvent): string =>
  JSON.stringify([project_id, event_id, type, key, source, source_name, dedup]);

const digestOf = (body: Buffer | undefined): string => hash('sha256', body ?? '');
