import { hash } from 'node:crypto';
import {
  BoundedMap,
  Errors,
  type Expression,
  type Expressions,
  type ConditionResult,
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
const MAX_ATTEMPTS = 3;

const BUDGET_EXHAUSTED: PredicateResult = {
  ok: false,
  reason:
    'event_budget_spent: the predicate was not evaluated, because the predicates for this event exceed their budget',
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
 * Evaluates the predicates of events, with one budget per event. Whatever takes longer than a moment is evaluated
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
    return { event_id: undefined, results: new Map(), remaining_units: EVENT_UNITS, attempts: 0 };
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
  async precompute(event: PendingEvent, predicates: readonly string[]): Promise<void> {
    const evaluation = this.#evaluationOf(event);
    const missing = missingResults(evaluation, predicates);
    if (missing.length > 0) await this.#evaluateAll(event, evaluation, missing);
  }

  evaluate(event: PendingEvent, predicates: readonly string[]): ReadonlyMap<string, PredicateResult> {
    const evaluation = this.#evaluationOf(event);
    const missing = missingResults(evaluation, predicates);
    if (missing.length === 0) return evaluation.results;
    const scope = { event: envelopeOf(event) };
    const results = new Map<string, PredicateResult>();
    let remaining_units = LOCKED_UNITS;
    for (const source of missing) {
      const result = this.#evaluateUnderLock(source, scope, remaining_units);
      if (result === undefined && evaluation.attempts < MAX_ATTEMPTS)
        throw Errors.unavailable('predicates must be evaluated first', {
          outside: () => this.#prepareRetry(evaluation, () => this.#evaluateAll(event, evaluation, missing)),
        });
      remaining_units -= result?.units ?? 0;
      results.set(source, result?.result ?? BUDGET_EXHAUSTED);
    }
    for (const [source, result] of results) evaluation.results.set(source, result);
    return evaluation.results;
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
    if ('judgement' in opened) return opened.judgement;
    const { when, values, roots } = opened;
    const evaluated = this.#evaluateUnderLock(when, { ...values, event }, locked.units, roots);
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
    if ('judgement' in opened) return opened.judgement;
    const { when, values, roots } = opened;
    const expression = await this.#compileYielding(when, roots);
    if ('judgement' in expression) return expression.judgement;
    const scope = { ...values, event };
    const result = await this.#testYielding(expression, scope, GUARANTEED_UNITS);
    return result.spent ? this.#evaluateCostly(evaluation, expression, scope) : toPredicateResult(result);
  }

  #evaluationOf(event: PendingEvent): EventEvaluation {
    const evaluation = this.#evaluations.get(event);
    if (evaluation === undefined) throw new Error(`the predicates over ${event.event_id} are not prepared`);
    return evaluation;
  }

  /** Returns undefined when evaluation needs more units than remain. */
  #evaluateUnderLock(
    source: string,
    scope: Record<string, unknown>,
    remaining_units: number,
    roots: readonly string[] = PREDICATE_ROOTS,
  ): { result: PredicateResult; units: number } | undefined {
    const compiled = this.#expressions().ready(source, roots);
    const compile_units = compiled ? 0 : source.length * COMPILE_UNITS;
    if (compile_units >= remaining_units) return undefined;
    const expression = compiled ?? this.#compile(source, roots);
    if ('judgement' in expression) return { result: expression.judgement, units: compile_units };
    const result = expression.test(scope, remaining_units - compile_units);
    return result.spent ? undefined : { result: toPredicateResult(result), units: compile_units + result.units };
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
   * Every predicate first gets its guaranteed share, so that costly ones take nothing from the others; then the
   * costly ones run in order.
   */
  async #evaluateAll(event: PendingEvent, evaluation: EventEvaluation, missing: readonly string[]): Promise<void> {
    const scope = { event: envelopeOf(event) };
    const costly: [string, Expression][] = [];
    for (const source of missing) {
      const expression = await this.#compileYielding(source);
      if ('judgement' in expression) evaluation.results.set(source, expression.judgement);
      else {
        const result = await this.#testYielding(expression, scope, GUARANTEED_UNITS);
        if (result.spent) costly.push([source, expression]);
        else evaluation.results.set(source, toPredicateResult(result));
      }
    }
    for (const [source, expression] of costly)
      evaluation.results.set(source, await this.#evaluateCostly(evaluation, expression, scope));
  }

  async #evaluateCostly(
    evaluation: EventEvaluation,
    expression: Expression,
    scope: Record<string, unknown>,
  ): Promise<PredicateResult> {
    const max_units = Math.min(evaluation.remaining_units, PREDICATE_UNITS);
    if (max_units <= 0) return BUDGET_EXHAUSTED;
    const result = await this.#testYielding(expression, scope, max_units);
    evaluation.remaining_units -= result.units;
    return result.spent && max_units < PREDICATE_UNITS ? BUDGET_EXHAUSTED : toPredicateResult(result);
  }

  async #testYielding(
    expression: Expression,
    scope: Record<string, unknown>,
    max_units: number,
  ): Promise<ConditionResult> {
    await this.#awaitYield();
    const result = expression.test(scope, max_units);
    this.#chargeUnits(result.units);
    return result;
  }

  async #compileYielding(
    source: string,
    roots: readonly string[] = PREDICATE_ROOTS,
  ): Promise<Expression | { judgement: PredicateResult }> {
    const compiled = this.#expressions().ready(source, roots);
    if (compiled) return compiled;
    await this.#awaitYield();
    this.#chargeUnits(source.length * COMPILE_UNITS);
    return this.#compile(source, roots);
  }

  /** The predicate compiled when it was registered or armed, but the service may have changed since. */
  #compile(source: string, roots: readonly string[]): Expression | { judgement: PredicateResult } {
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

const toFailure = (error: unknown): PredicateResult =>
  toPredicateResult({ ok: false, reason: error instanceof Error ? error.message : String(error) });

/** A predicate that cannot be opened declines, so that the event reaches the others. */
function tryOpen(
  predicate: BoundPredicate,
): (ReturnType<BoundPredicate['open']> & { roots: readonly string[] }) | { judgement: PredicateResult } {
  try {
    const opened = predicate.open();
    return { ...opened, roots: [...PREDICATE_ROOTS, ...Object.keys(opened.values)] };
  } catch (error) {
    return { judgement: toFailure(error) };
  }
}

const missingResults = ({ results }: EventEvaluation, predicates: readonly string[]): string[] =>
  [...new Set(predicates)].filter((source) => !results.has(source));

const identityOf = ({ project_id, event_id, type, key, source, source_name, dedup }: NewEvent): string =>
  JSON.stringify([project_id, event_id, type, key, source, source_name, dedup]);

const digestOf = (body: Buffer | undefined): string => hash('sha256', body ?? '');
