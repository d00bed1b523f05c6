import {
  BoundedMap,
  type Cancel,
  type Clock,
  type Database,
  type Log,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import {
  encodeTrace,
  decodeTrace,
  stepSpanId,
  type TraceContext,
  type TracedRun,
  type TraceHeaders,
  traceHeaders,
  type Tracer,
} from '../../../platform/tracing/contract.ts';
import { type ClaimRef, idempotencyKey, type JournaledCall, type NodeSpan } from '../contract.ts';
import type { Fact, PassOutcome } from './facts.ts';
import { callKey, readTracedActivities, readTracedAttempts, readTracedRuns } from '../store/rows/traced.ts';
import { activitySpan, callSpan, nodeSpan, passSpan, passSpanId, runSpan, type SpannedRun } from './spans.ts';

/** Facts are turned into spans in batches of this interval: tracing reads the database at no other time. */
const GATHER_MS = 100;
/** Facts in memory; more are dropped and counted. */
const MAX_FACTS = 10_000;
const AT_ONCE = 500;
/** Passes whose start is remembered. */
const MAX_PASSES = 10_000;

export interface RunSpansDeps {
  tracer: Tracer;
  database: Pick<Database, 'read' | 'now'>;
  masks: Pick<RunMasks, 'of'>;
  clock: Clock;
  log: Log;
  isWait: (kind: string) => boolean;
}

type Recorded = { activity_id: string; epoch: number; record: JournaledRecord };
type JournaledRecord = Omit<JournaledCall, 'args'> & { exit_code: number };

const passKey = ({ activity_id, epoch }: ClaimRef): string => `${activity_id} ${epoch}`;

/**
 * Makes spans of what this server has committed. The transitions only say which rows have changed; what else a span needs
 * is read later, so that no transition waits for it.
 */
export class RunSpans {
  readonly #deps: RunSpansDeps;
  readonly #passes = new BoundedMap<string, number>(MAX_PASSES);
  #facts: Fact[] = [];
  #cancel: Cancel | undefined;
  #working: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(deps: RunSpansDeps) {
    this.#deps = deps;
  }

  /** A claim was handed out. Answers what the pass hands to its program. */
  claimed({ activity_id, epoch, ...run }: ClaimRef & TracedRun): TraceHeaders {
    this.#passes.set(passKey({ activity_id, epoch }), this.#deps.database.now());
    return traceHeaders({ ...this.#deps.tracer.remember(run), span_id: passSpanId(activity_id, epoch) });
  }

  recorded(tx: Transaction, records: readonly Recorded[], at: number): void {
    this.#after(
      tx,
      records.map(({ activity_id, epoch, record }) => {
        const { position, kind, name, ordinal, exit_code, started_at } = record;
        return { fact: 'call', activity_id, epoch, call: { position, kind, name, ordinal, exit_code }, started_at, at };
      }),
    );
  }

  passEnded(tx: Transaction | undefined, { activity_id, epoch }: ClaimRef, outcome: PassOutcome): void {
    this.#after(tx, [{ fact: 'pass', activity_id, epoch, outcome, at: this.#deps.database.now() }]);
  }

  /** `outcome` of the pass that ended with each; absent: none did. */
  activitiesEnded(tx: Transaction, activity_ids: readonly string[], outcome?: PassOutcome): void {
    const at = this.#deps.database.now();
    this.#after(
      tx,
      activity_ids.flatMap((activity_id): Fact[] => [
        ...(outcome === undefined ? [] : [{ fact: 'pass', activity_id, epoch: undefined, outcome, at } as const]),
        { fact: 'activity', activity_id },
      ]),
    );
  }

  runsOver(tx: Transaction, run_ids: readonly string[]): void {
    this.#after(
      tx,
      run_ids.map((run_id) => ({ fact: 'run', run_id })),
    );
  }

  nodesOver(tx: Transaction, run_id: string, nodes: readonly NodeSpan[]): void {
    this.#after(
      tx,
      nodes.map((node) => ({ fact: 'node', run_id, node })),
    );
  }

  /** The work of a call runs in its span, so that the runs and events it causes are its children. */
  within<T>(run: TracedRun, job: string, call: Omit<JournaledCall, 'args'>, work: () => T): T {
    const { run_id, trace } = run;
    const context = this.#deps.tracer.ofRun({ run_id, trace });
    const span_id = stepSpanId(idempotencyKey({ run_id, job }, call));
    return this.#deps.tracer.within({ ...context, span_id }, work);
  }

  /** As a run keeps it that is made by a caller of its own: the span in which that works. */
  ambient(): string | null {
    const present = this.#deps.tracer.current();
    return present === undefined ? null : encodeTrace(present);
  }

  /** The same for a child: the call that makes it, when that is of its parent, or else its parent. */
  below(parent: TracedRun): string {
    const own = this.#deps.tracer.ofRun(parent);
    const present = this.#deps.tracer.current();
    return encodeTrace(present?.trace_id === own.trace_id ? present : own);
  }

  /** As whatever comes of a run's transitions keeps it. */
  of({ run_id, trace }: TracedRun): string {
    return encodeTrace(this.#deps.tracer.ofRun({ run_id, trace }));
  }

  /** Everything so far is queued for export when it resolves. */
  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#working;
    await this.#work();
  }

  #after(tx: Transaction | undefined, facts: readonly Fact[]): void {
    if (tx === undefined) this.#add(facts);
    else tx.afterCommit(() => this.#add(facts));
  }

  #add(facts: readonly Fact[]): void {
    const room = Math.max(0, MAX_FACTS - this.#facts.length);
    this.#facts.push(...facts.slice(0, room));
    this.#deps.tracer.dropped(facts.length - Math.min(room, facts.length));
    this.#cancel ??= this.#deps.clock.after(GATHER_MS, () => this.#next(), { unref: true });
  }

  #next(): void {
    this.#working = this.#work().finally(() => {
      this.#cancel = undefined;
      if (this.#facts.length > 0) this.#add([]);
    });
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (this.#facts.length > 0) {
      const facts = this.#facts.splice(0, AT_ONCE);
      try {
        await this.#export(facts);
        this.#failing = false;
      } catch (error) {
        this.#deps.tracer.dropped(facts.length);
        if (!this.#failing) this.#deps.log.warn({ err: error }, 'run spans could not be created');
        this.#failing = true;
      }
    }
  }

  async #export(facts: readonly Fact[]): Promise<void> {
    const { database, tracer, isWait } = this.#deps;
    const activities = await readTracedActivities(
      database,
      facts.flatMap((fact) => ('activity_id' in fact ? [fact.activity_id] : [])),
    );
    const runs = await this.#runs([
      ...[...activities.values()].map(({ run_id }) => run_id),
      ...facts.flatMap((fact) => ('run_id' in fact ? [fact.run_id] : [])),
    ]);
    const tried = facts.flatMap((fact) => {
      const run_id = fact.fact === 'call' && fact.epoch > 0 ? activities.get(fact.activity_id)?.run_id : undefined;
      return fact.fact === 'call' && run_id ? [{ run_id, ...fact, position: fact.call.position }] : [];
    });
    const attempts = await readTracedAttempts(
      database,
      tried.map(({ run_id, activity_id, position }) => ({ run_id, activity_id, position })),
    );
    for (const fact of facts) {
      const activity = 'activity_id' in fact ? activities.get(fact.activity_id) : undefined;
      const run = runs.get('run_id' in fact ? fact.run_id : (activity?.run_id ?? ''));
      // Pruned since, or not exported.
      if (!run?.context.sampled) continue;
      if (fact.fact === 'run') tracer.add(runSpan(run));
      else if (fact.fact === 'node') tracer.add(nodeSpan(run, fact.node));
      else if (fact.fact === 'activity') tracer.add(activitySpan(run, activity!));
      else if (fact.fact === 'pass') {
        const epoch = fact.epoch ?? activity!.epoch;
        tracer.add(passSpan(run, activity!, { ...fact, epoch, started_at: this.#startOf(fact.activity_id, epoch) }));
      } else {
        const place = callKey({ activity_id: fact.activity_id, position: fact.call.position });
        const waits = isWait(fact.call.kind);
        tracer.add(callSpan(run, activity!, fact, { waits, attempts: attempts.get(place) ?? [] }));
      }
    }
  }

  #startOf(activity_id: string, epoch: number): number | undefined {
    const key = passKey({ activity_id, epoch });
    const started_at = this.#passes.get(key);
    this.#passes.delete(key);
    return started_at;
  }

  async #runs(run_ids: readonly string[]): Promise<Map<string, SpannedRun>> {
    const { database, tracer, masks } = this.#deps;
    const found = new Map<string, SpannedRun>();
    for (const [run_id, row] of await readTracedRuns(database, run_ids)) {
      const context: TraceContext = tracer.remember(row);
      if (!context.sampled) continue;
      found.set(run_id, { row, context, parent: decodeTrace(row.trace)?.span_id, masker: await masks.of(row) });
    }
    return found;
  }
}
