import { hash } from 'node:crypto';
import {
  BoundedMap,
  Errors,
  type Expression,
  type Expressions,
  type Tested,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import { envelopeOf, type Judgement, type NewEvent, type PendingEvent, type PredicateJudge } from '../contract.ts';
import { judgementOf, PREDICATE_ROOTS } from '../contract/judgement.ts';

/** Units of work that one predicate may take. */
const PREDICATE_UNITS = 150_000;
/** What all predicates of an event may take together, beyond the share of each: four costly ones. */
const EVENT_UNITS = 4 * PREDICATE_UNITS;
/** Units that every predicate has, however costly the others are: a hundred times what most need. */
const SHARE_UNITS = 1000;
/** Units that predicates of an event may take under locks: about a millisecond. What takes more is judged before. */
const LOCKED_UNITS = 10_000;
/** What compiling one character takes. */
const COMPILE_UNITS = 25;
/** Units between two turns of the event loop, for all events together. */
const TURN_UNITS = 100_000;
/** Events that were judged for an attempt of their transaction that is still to come. */
const MAX_KEPT = 1000;
/** An event that differs in every attempt of its transaction is judged outside of it so often, and then within. */
const MAX_TRIES = 3;

const SPENT: Judgement = {
  ok: false,
  reason: 'event_budget_spent: the predicate was not judged, because those of this event take too much work together',
};

/** What is known of the predicates of one event. */
export interface Judged {
  event_id: string | undefined;
  /** By the text of the predicate. */
  answers: Map<string, Judgement>;
  /** Units of the event's budget. */
  left: number;
  /** Names the event in every attempt of its transaction; undefined when all attempts have the same object. */
  identity?: string;
  body?: Buffer | undefined;
  digest?: string;
  tries: number;
}

/**
 * Evaluates the predicates of events, with one budget for all of an event. What takes longer than a moment is done
 * before the transaction that holds the project's lock (on SQLite the only writer), with turns of the event loop in
 * between. An answer follows from the event and the text of the predicate alone, so it holds in the transaction too;
 * predicates of handlers and waits that came in between are judged there or make it wait once more.
 */
export class Judge implements PredicateJudge {
  readonly #expressions: () => Expressions;
  readonly #known = new WeakMap<PendingEvent, Judged>();
  readonly #kept = new BoundedMap<string, Judged>(MAX_KEPT);
  #since_turn = 0;

  constructor(expressions: () => Expressions) {
    this.#expressions = expressions;
  }

  /** For an event whose object lives through all attempts to record it. */
  begin(): Judged {
    return { event_id: undefined, answers: new Map(), left: EVENT_UNITS, tries: 0 };
  }

  /** For an event that each attempt of a transaction makes anew: what an earlier attempt knew, with the id it had. */
  resume(event: NewEvent, body?: Buffer): Judged {
    const identity = identityOf(event);
    const kept = this.#kept.size === 0 ? undefined : this.#kept.get(identity);
    if (kept && kept.digest === digestOf(body)) return kept;
    return { ...this.begin(), identity, body, tries: kept?.tries ?? 0 };
  }

  attach(event: PendingEvent, judged: Judged): void {
    judged.event_id = event.event_id;
    this.#known.set(event, judged);
  }

  /** The event with its number is judged as it was without. */
  recorded(stored: PendingEvent, event: PendingEvent): void {
    this.#known.set(stored, this.#of(event));
  }

  /** It was committed: no further attempt will ask. */
  forget(event: PendingEvent): void {
    const { identity } = this.#of(event);
    if (identity !== undefined) this.#kept.delete(identity);
  }

  /** Outside of transactions: judges predicates that the event may meet. */
  async ahead(event: PendingEvent, predicates: readonly string[]): Promise<void> {
    const judged = this.#of(event);
    const open = openOf(judged, predicates);
    if (open.length > 0) await this.#judgeAll(event, judged, open);
  }

  judge(event: PendingEvent, predicates: readonly string[]): ReadonlyMap<string, Judgement> {
    const judged = this.#of(event);
    const open = openOf(judged, predicates);
    if (open.length === 0) return judged.answers;
    const scope = { event: envelopeOf(event) };
    const found = new Map<string, Judgement>();
    let left = LOCKED_UNITS;
    for (const source of open) {
      const tested = this.#within(source, scope, left);
      if (tested === undefined && judged.tries < MAX_TRIES)
        throw Errors.unavailable('predicates are judged first', { outside: () => this.#outside(event, judged, open) });
      left -= tested?.units ?? 0;
      found.set(source, tested?.judgement ?? SPENT);
    }
    for (const [source, judgement] of found) judged.answers.set(source, judgement);
    return judged.answers;
  }

  #of(event: PendingEvent): Judged {
    const known = this.#known.get(event);
    if (known === undefined) throw new Error(`nothing is prepared to judge predicates over ${event.event_id}`);
    return known;
  }

  /** Undefined when it takes more than is left. */
  #within(
    source: string,
    scope: Record<string, unknown>,
    left: number,
  ): { judgement: Judgement; units: number } | undefined {
    const ready = this.#expressions().ready(source, PREDICATE_ROOTS);
    const compiling = ready ? 0 : source.length * COMPILE_UNITS;
    if (compiling >= left) return undefined;
    const expression = ready ?? this.#compile(source);
    if ('judgement' in expression) return { judgement: expression.judgement, units: compiling };
    const tested = expression.test(scope, left - compiling);
    return tested.spent ? undefined : { judgement: judgementOf(tested), units: compiling + tested.units };
  }

  async #outside(event: PendingEvent, judged: Judged, open: readonly string[]): Promise<void> {
    judged.tries += 1;
    await this.#judgeAll(event, judged, open);
    const { identity, body } = judged;
    if (identity === undefined) return;
    judged.digest = digestOf(body);
    judged.body = undefined;
    this.#kept.set(identity, judged);
  }

  /** Each with its share first, so that costly predicates take nothing from the others; then these, in order. */
  async #judgeAll(event: PendingEvent, judged: Judged, open: readonly string[]): Promise<void> {
    const scope = { event: envelopeOf(event) };
    const costly: [string, Expression][] = [];
    for (const source of open) {
      const expression = await this.#compileInTurn(source);
      if ('judgement' in expression) judged.answers.set(source, expression.judgement);
      else {
        const tested = await this.#testInTurn(expression, scope, SHARE_UNITS);
        if (tested.spent) costly.push([source, expression]);
        else judged.answers.set(source, judgementOf(tested));
      }
    }
    for (const [source, expression] of costly)
      judged.answers.set(source, await this.#judgeCostly(judged, expression, scope));
  }

  async #judgeCostly(judged: Judged, expression: Expression, scope: Record<string, unknown>): Promise<Judgement> {
    const most = Math.min(judged.left, PREDICATE_UNITS);
    if (most <= 0) return SPENT;
    const tested = await this.#testInTurn(expression, scope, most);
    judged.left -= tested.units;
    return tested.spent && most < PREDICATE_UNITS ? SPENT : judgementOf(tested);
  }

  async #testInTurn(expression: Expression, scope: Record<string, unknown>, most: number): Promise<Tested> {
    await this.#turn();
    const tested = expression.test(scope, most);
    this.#took(tested.units);
    return tested;
  }

  async #compileInTurn(source: string): Promise<Expression | { judgement: Judgement }> {
    const ready = this.#expressions().ready(source, PREDICATE_ROOTS);
    if (ready) return ready;
    await this.#turn();
    this.#took(source.length * COMPILE_UNITS);
    return this.#compile(source);
  }

  /** It compiled when it was registered or armed; the service may have changed since. */
  #compile(source: string): Expression | { judgement: Judgement } {
    try {
      return this.#expressions().compile(source, PREDICATE_ROOTS);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { judgement: judgementOf({ ok: false, reason }) };
    }
  }

  async #turn(): Promise<void> {
    while (this.#since_turn >= TURN_UNITS) await yieldToEventLoop();
  }

  #took(units: number): void {
    const before = this.#since_turn;
    this.#since_turn += units;
    if (before < TURN_UNITS && this.#since_turn >= TURN_UNITS)
      void yieldToEventLoop().then(() => {
        this.#since_turn = 0;
      });
  }
}

const openOf = ({ answers }: Judged, predicates: readonly string[]): string[] =>
  [...new Set(predicates)].filter((source) => !answers.has(source));

const identityOf = ({ project_id, event_id, type, key, source, source_name, dedup }: NewEvent): string =>
  JSON.stringify([project_id, event_id, type, key, source, source_name, dedup]);

const digestOf = (body: Buffer | undefined): string => hash('sha256', body ?? '');
