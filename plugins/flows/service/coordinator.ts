import { type Database, failpoint, type Transaction } from '../../../kernel/contracts/index.ts';
import type {
  ActivityEnd,
  ActivityScope,
  CoordinatedEnding,
  CoordinatedRun,
  NodeAgain,
  NodeList,
  NodePage,
  NodeSpans,
  NodeWork,
  RunCoordinator,
} from '../../runs/contract.ts';
import type { FlowPlan } from '../contract.ts';
import { isDecided } from '../domain/decide.ts';
import { outputReads } from '../domain/plan.ts';
import { readActivities, readActivity } from '../store/activity-rows.ts';
import { endFlow, type FlowRow, insertFlow, readFlow, type Step } from '../store/flow-row.ts';
import { insertList, PLAN } from '../store/lists.ts';
import { Advance, type AdvanceParts } from './advance.ts';
import { OUTPUT_FAULT, reasonOf } from './faults.ts';
import { FlowMemory } from './flow-memory.ts';
import { FLOWS, type FlowViews } from './flow-views.ts';
import { openNodeSpans } from './node-spans.ts';
import { plannedAgain, planRerun, type RerunPlan } from './rerun-plan.ts';

export interface CoordinatorParts extends AdvanceParts {
  database: Pick<Database, 'now' | 'read'>;
  views: FlowViews;
  /** Undefined: nobody traces. */
  spans: NodeSpans['over'];
  /** Called after a commit that left pending steps. */
  leftOver(): void;
}

/** Continues flows in the transactions in which their runs are created and their activities end. */
export class FlowCoordinator implements RunCoordinator {
  readonly name = FLOWS;
  readonly #parts: () => CoordinatorParts;
  /** Transactions in which a flow is being carried on. */
  readonly #busy = new WeakSet<Transaction>();
  /** The flow that a transaction has carried on last; what it knows need not be read again to end the run. */
  readonly #carried = new WeakMap<Transaction, FlowMemory>();

  /** Resolved at the first flow: node types may need the engine, which is made of its coordinators. */
  constructor(parts: () => CoordinatorParts) {
    this.#parts = parts;
  }

  async begin(tx: Transaction, run: CoordinatedRun, plan: unknown): Promise<void> {
    const parts = this.#parts();
    const { language, constants = null, on_failure = 'stop', output, nodes: given, kept, resumed } = plan as RerunPlan;
    const nodes = plannedAgain(plan as RerunPlan);
    const header = {
      constants,
      on_failure,
      output: output ? { ...output, reads: outputReads(plan as FlowPlan) } : null,
      ...(kept ? { kept: kept.run_id } : {}),
      ...(resumed ? { resumed } : {}),
    };
    const roots = nodes.filter((node) => node.needs === 0 && node.kept === undefined);
    const todo: Step[] = roots.map(({ n }) => ({ do: 'begin' as const, n })).reverse();
    if (kept) todo.push({ do: 'keep', n: 0 });
    const counts = { nodes: given.length, ended: 0, failed: 0, stopped: 0, error_code: null, error_message: null };
    const flow: FlowRow = { language, header, ...counts, todo };
    await insertList(tx, parts.sealer, run, PLAN, nodes);
    failpoint('flows.planned');
    // A node of another flow has made this run: that it begins is left to the next transaction, so that flows which call
    // flows are not carried out in one.
    if (this.#busy.has(tx)) {
      await insertFlow(tx, parts.sealer, run, flow, parts.database.now());
      tx.afterCommit(() => parts.leftOver());
    } else await this.#advance(new FlowMemory(parts, tx, run, flow, nodes));
    failpoint('flows.begun');
  }

  async ended(tx: Transaction, run: CoordinatedRun, end: ActivityEnd): Promise<void> {
    const activity = await readActivity(tx, run.run_id, end.activity_id);
    if (!activity) return;
    const parts = this.#parts();
    const flow = await readFlow(tx, parts.sealer, run);
    if (!flow || flow.stopped === 1) return;
    const memory = new FlowMemory(parts, tx, run, flow);
    const { n, item, role } = activity;
    await memory.load([n], [{ n, item }]);
    const advance = new Advance(parts, memory);
    failpoint(`flows.${role}.ended`);
    await this.#alone(tx, async () => {
      await advance.activityEnded(memory.row(n, item), role, end);
      await this.#work(memory, advance);
    });
    failpoint(`flows.${role}.advanced`);
  }

  /** The pending steps of the last transaction. */
  async resume(tx: Transaction, run: CoordinatedRun): Promise<void> {
    const parts = this.#parts();
    const flow = await readFlow(tx, parts.sealer, run);
    if (!flow || flow.todo.length === 0) return;
    failpoint('flows.resumed');
    await this.#advance(new FlowMemory(parts, tx, run, flow));
    failpoint('flows.resumed.advanced');
  }

  async ending(tx: Transaction, run: CoordinatedRun): Promise<CoordinatedEnding | undefined> {
    const parts = this.#parts();
    const carried = this.#carriedOf(tx, run);
    const flow = carried?.flow ?? (await readFlow(tx, parts.sealer, run));
    if (!flow) return { status: 'failed', code: 'flow_lost', message: 'the plan of the run no longer exists' };
    const { failed, error_code, error_message, todo, nodes, ended } = flow;
    if (todo.length > 0 && flow.stopped === 0) return undefined;
    if (failed > 0)
      return { status: 'failed', code: error_code ?? 'failed', message: error_message ?? 'a node has failed' };
    if (!isDecided(flow))
      return {
        status: 'failed',
        code: 'flow_stuck',
        message: `${nodes - ended} nodes wait for something that cannot happen`,
      };
    try {
      const output = await new Advance(parts, carried ?? new FlowMemory(parts, tx, run, flow)).output();
      return { status: 'succeeded', output };
    } catch (error) {
      const { code, message } = reasonOf(error, parts.log, { run_id: run.run_id }, OUTPUT_FAULT);
      return { status: 'failed', code, message: `the output of the run: ${message}` };
    }
  }

  async over(tx: Transaction, run: ActivityScope): Promise<void> {
    const flow = this.#carriedOf(tx, run)?.flow;
    // Everything is decided and stored: there is nothing to end.
    if (flow && flow.ended === flow.nodes && flow.todo.length === 0) return;
    const { database, sealer, spans } = this.#parts();
    const now = database.now();
    const open = spans ? await openNodeSpans(tx, sealer, run, now) : [];
    if (open.length > 0) spans?.(tx, run.run_id, open);
    await endFlow(tx, run.run_id, now);
  }

  #carriedOf(tx: Transaction, { run_id }: ActivityScope): FlowMemory | undefined {
    const memory = this.#carried.get(tx);
    return memory?.run.run_id === run_id ? memory : undefined;
  }

  labels(run: ActivityScope): Promise<(name: string) => string | undefined> {
    return this.#parts().views.labels(run);
  }

  nodes(run: ActivityScope, page: NodePage): Promise<NodeList> {
    return this.#parts().views.list(run, page);
  }

  several(run: ActivityScope): Promise<boolean> {
    return this.#parts().views.several(run);
  }

  /** Activities that are of no node, such as children of scripts, are not done again by themselves. */
  async redone(
    tx: Transaction,
    { run_id }: ActivityScope,
    plan: unknown,
    activity_ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const kept = new Set((plan as RerunPlan).kept?.nodes.map(([, old]) => old));
    const known = await readActivities(tx, run_id, activity_ids);
    return new Set(known.flatMap(({ activity_id, n }) => (kept.has(n) ? [] : [activity_id])));
  }

  rerun(run: ActivityScope, plan: unknown, from: NodeAgain | undefined): Promise<RerunPlan | undefined> {
    return planRerun(this.#parts(), run, plan as FlowPlan, from);
  }

  node(run: ActivityScope, name: string): Promise<NodeWork | undefined> {
    return this.#parts().views.work(run, name);
  }

  #advance(memory: FlowMemory): Promise<void> {
    return this.#alone(memory.tx, () => this.#work(memory, new Advance(this.#parts(), memory)));
  }

  async #alone(tx: Transaction, work: () => Promise<void>): Promise<void> {
    this.#busy.add(tx);
    try {
      await work();
    } finally {
      this.#busy.delete(tx);
    }
  }

  async #work(memory: FlowMemory, advance: Advance): Promise<void> {
    await advance.work();
    this.#carried.set(memory.tx, memory);
    if (memory.flow.todo.length > 0) memory.tx.afterCommit(() => this.#parts().leftOver());
  }
}
