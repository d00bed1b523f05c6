import { type Database, failpoint, type Transaction } from '../../../../kernel/contracts/index.ts';
import {
  type ActivityEnd,
  type ActivityScope,
  type CoordinatedEnding,
  type CoordinatedRun,
  type NodeAgain,
  type NodeList,
  type NodePage,
  type NodeSpans,
  type NodeWork,
  PAUSED_DUE,
  type RunCoordinator,
  MAX_RECORD_BYTES,
} from '../../runs/contract.ts';
import type { FlowPlan } from '../contract.ts';
import { isDecided } from '../domain/decide.ts';
import { outputReads } from '../domain/plan.ts';
import { readActivities, readActivity } from '../store/activity-rows.ts';
import { insertFinishedFlow } from '../store/finished-flow.ts';
import { endFlow, type FlowRow, insertFlow, readFlow, resumeFlow, type Step, updateFlow } from '../store/flow-row.ts';
import { insertList, PLAN } from '../store/lists.ts';
import { Advance, type AdvanceDeps } from './advance.ts';
import { OUTPUT_FAILED, toFailure } from './failures.ts';
import { FlowMemory } from './flow-memory.ts';
import { FLOWS, type FlowViews } from './flow-views.ts';
import { openNodeSpans } from './node-spans.ts';
import { toRerunNodes, planRerun, type RerunPlan } from './rerun-plan.ts';

export interface CoordinatorDeps extends AdvanceDeps {
  database: Pick<Database, 'now' | 'read'>;
  views: FlowViews;
  /** Undefined when tracing is off. */
  spans: NodeSpans['over'];
  /** Called after a commit that left pending steps. */
  wakeResumer(): void;
}

/** Continues flows in the transactions in which their runs are created and their activities end. */
export class FlowCoordinator implements RunCoordinator {
  readonly name = FLOWS;
  readonly #deps: () => CoordinatorDeps;
  /** Transactions in which a flow is being carried on. */
  readonly #busy = new WeakSet<Transaction>();
  /** The flow that a transaction has carried on last; what it knows need not be read again to end the run. */
  readonly #advanced = new WeakMap<Transaction, FlowMemory>();

  /** Resolved at the first flow, because node types may need the engine, which is built from its coordinators. */
  constructor(deps: () => CoordinatorDeps) {
    this.#deps = deps;
  }

  async begin(tx: Transaction, run: CoordinatedRun, plan: unknown): Promise<void> {
    const deps = this.#deps();
    const {
      language,
      constants = null,
      on_failure = 'stop',
      output,
      nodes: plan_nodes,
      kept,
      resumed,
    } = plan as RerunPlan;
    const nodes = toRerunNodes(plan as RerunPlan);
    const header = {
      constants,
      on_failure,
      output: output ? { ...output, reads: outputReads(plan as FlowPlan) } : null,
      kept: kept?.run_id,
      resumed,
    };
    const roots = nodes.filter((node) => node.needs === 0 && node.kept === undefined);
    const todo: Step[] = roots.map(({ n }) => ({ do: 'begin' as const, n })).reverse();
    if (kept) todo.push({ do: 'keep', n: 0 });
    const counts = { nodes: plan_nodes.length, ended: 0, failed: 0, stopped: 0, error_code: null, error_message: null };
    const flow: FlowRow = { language, header, ...counts, todo };
    failpoint('flows.planned');
    // When a node of another flow created this run, its begin is left to the next transaction, so that nested flows
    // do not run in one. The begin of a paused run is left until it is resumed.
    if (this.#busy.has(tx) || run.paused) {
      await insertList(tx, deps.sealer, run, PLAN, nodes);
      await insertFlow(tx, deps.sealer, run, flow, run.paused ? PAUSED_DUE : deps.database.now());
      tx.afterCommit(() => deps.wakeResumer());
    } else await this.#advance(new FlowMemory(deps, tx, run, flow, nodes));
    failpoint('flows.begun');
  }

  async ended(tx: Transaction, run: CoordinatedRun, end: ActivityEnd): Promise<void> {
    const activity = await readActivity(tx, run.run_id, end.activity_id);
    if (!activity) return;
    const deps = this.#deps();
    const flow = await readFlow(tx, deps.sealer, run);
    if (!flow || flow.stopped === 1) return;
    const memory = new FlowMemory(deps, tx, run, flow);
    const { n, item, role } = activity;
    await memory.load([n], [{ n, item }]);
    const advance = new Advance(deps, memory);
    failpoint(`flows.${role}.ended`);
    await this.#withBusy(tx, async () => {
      await advance.onActivityEnded(memory.row(n, item), role, end);
      await this.#runSteps(memory, advance);
    });
    failpoint(`flows.${role}.advanced`);
  }

  /** The pending steps of the last transaction. */
  async resume(tx: Transaction, run: CoordinatedRun): Promise<void> {
    const deps = this.#deps();
    const flow = await readFlow(tx, deps.sealer, run);
    if (!flow || flow.todo.length === 0) return;
    // Steps that were left before the run was paused are put off.
    if (run.paused) return updateFlow(tx, run.run_id, flow, PAUSED_DUE);
    failpoint('flows.resumed');
    await this.#advance(new FlowMemory(deps, tx, run, flow));
    failpoint('flows.resumed.advanced');
  }

  async ending(tx: Transaction, run: CoordinatedRun): Promise<CoordinatedEnding | undefined> {
    const deps = this.#deps();
    const advanced = this.#findAdvanced(tx, run);
    const ending = await this.#decideEnding(tx, run, advanced);
    const finished = advanced?.consumeFinished();
    if (!finished) return ending;
    if (ending?.status === 'succeeded') {
      const output_json = Buffer.from(JSON.stringify(ending.output ?? null));
      if (output_json.length + finished.length <= MAX_RECORD_BYTES)
        return { ...ending, record: { content: finished, output_json } };
    }
    await insertFinishedFlow(tx, deps.sealer, run, finished);
    return ending;
  }

  async #decideEnding(
    tx: Transaction,
    run: CoordinatedRun,
    advanced: FlowMemory | undefined,
  ): Promise<CoordinatedEnding | undefined> {
    const deps = this.#deps();
    const flow = advanced?.flow ?? (await readFlow(tx, deps.sealer, run));
    if (!flow) return { status: 'failed', code: 'flow_lost', message: 'the plan of the run no longer exists' };
    const { failed, error_code, error_message, todo, nodes, ended } = flow;
    if (todo.length > 0 && flow.stopped === 0) return undefined;
    if (failed > 0)
      return { status: 'failed', code: error_code ?? 'failed', message: error_message ?? 'a node has failed' };
    if (!isDecided(flow))
      return {
        status: 'failed',
        code: 'flow_stuck',
        message: `${nodes - ended} nodes are waiting for something that cannot happen`,
      };
    try {
      const output = await new Advance(deps, advanced ?? new FlowMemory(deps, tx, run, flow)).evaluateOutput();
      return { status: 'succeeded', output };
    } catch (error) {
      const { code, message } = toFailure(error, deps.log, { run_id: run.run_id }, OUTPUT_FAILED);
      return { status: 'failed', code, message: `the output of the run: ${message}` };
    }
  }

  async resumed(tx: Transaction, { run_id }: ActivityScope): Promise<void> {
    await resumeFlow(tx, run_id, this.#deps().database.now());
    tx.afterCommit(() => this.#deps().wakeResumer());
  }

  async over(tx: Transaction, run: ActivityScope): Promise<void> {
    const flow = this.#findAdvanced(tx, run)?.flow;
    // Everything is decided and stored, so nothing is left to end.
    if (flow && flow.ended === flow.nodes && flow.todo.length === 0) return;
    const { database, sealer, spans } = this.#deps();
    const now = database.now();
    const open = spans ? await openNodeSpans(tx, sealer, run, now) : [];
    if (open.length > 0) spans?.(tx, run.run_id, open);
    await endFlow(tx, run.run_id, now);
  }

  #findAdvanced(tx: Transaction, { run_id }: ActivityScope): FlowMemory | undefined {
    const memory = this.#advanced.get(tx);
    return memory?.run.run_id === run_id ? memory : undefined;
  }

  labels(run: ActivityScope): Promise<(name: string) => Promise<string | undefined>> {
    return this.#deps().views.labels(run);
  }

  nodes(run: ActivityScope, page: NodePage): Promise<NodeList> {
    return this.#deps().views.list(run, page);
  }

  several(run: ActivityScope): Promise<boolean> {
    return this.#deps().views.hasSeveral(run);
  }

  /** Activities that belong to no node, such as children of scripts, are not repeated by themselves. */
  async redone(
    tx: Transaction,
    { run_id }: ActivityScope,
    plan: unknown,
    activity_ids: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const reused = new Set((plan as RerunPlan).kept?.nodes.map(([, old]) => old));
    const activities = await readActivities(tx, run_id, activity_ids);
    return new Set(activities.flatMap(({ activity_id, n }) => (reused.has(n) ? [] : [activity_id])));
  }

  rerun(run: ActivityScope, plan: unknown, from: NodeAgain | undefined): Promise<RerunPlan | undefined> {
    return planRerun(this.#deps(), run, plan as FlowPlan, from);
  }

  node(run: ActivityScope, name: string): Promise<NodeWork | undefined> {
    return this.#deps().views.findNode(run, name);
  }

  #advance(memory: FlowMemory): Promise<void> {
    return this.#withBusy(memory.tx, () => this.#runSteps(memory, new Advance(this.#deps(), memory)));
  }

  async #withBusy(tx: Transaction, work: () => Promise<void>): Promise<void> {
    this.#busy.add(tx);
    try {
      await work();
    } finally {
      this.#busy.delete(tx);
    }
  }

  async #runSteps(memory: FlowMemory, advance: Advance): Promise<void> {
    await advance.runSteps();
    this.#advanced.set(memory.tx, memory);
    if (memory.flow.todo.length > 0 && !memory.run.paused) memory.tx.afterCommit(() => this.#deps().wakeResumer());
  }
}
