import { type Database, failpoint, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, CoordinatedEnding, CoordinatedRun, RunCoordinator } from '../../runs/contract.ts';
import type { FlowPlan } from '../contract.ts';
import { isDecided } from '../domain/decide.ts';
import { outputReads, planned } from '../domain/plan.ts';
import { readActivity } from '../store/activity-rows.ts';
import { endFlow, type FlowRow, insertFlow, readFlow } from '../store/flow-row.ts';
import { insertList, PLAN } from '../store/lists.ts';
import { Advance, type AdvanceParts } from './advance.ts';
import { OUTPUT_FAULT, reasonOf } from './faults.ts';
import { FlowMemory } from './flow-memory.ts';

export const FLOWS = 'flows';

export interface CoordinatorParts extends AdvanceParts {
  database: Pick<Database, 'now'>;
  /** Called after a commit that left pending steps. */
  leftOver(): void;
}

/** Continues flows in the transactions in which their runs are created and their activities end. */
export class FlowCoordinator implements RunCoordinator {
  readonly name = FLOWS;
  readonly #parts: () => CoordinatorParts;

  /** Resolved at the first flow: node types may need the engine, which is made of its coordinators. */
  constructor(parts: () => CoordinatorParts) {
    this.#parts = parts;
  }

  async begin(tx: Transaction, run: CoordinatedRun, plan: unknown): Promise<void> {
    const parts = this.#parts();
    const { language, constants = null, on_failure = 'stop', output, nodes: given } = plan as FlowPlan;
    const nodes = planned(plan as FlowPlan);
    const header = {
      constants,
      on_failure,
      output: output ? { text: output.text, reads: outputReads(plan as FlowPlan) } : null,
    };
    const roots = nodes.filter(({ needs }) => needs === 0).map(({ n }) => ({ do: 'begin' as const, n }));
    const counts = { nodes: given.length, ended: 0, failed: 0, stopped: 0, error_code: null, error_message: null };
    const flow: FlowRow = { language, header, ...counts, todo: roots.reverse() };
    await insertFlow(tx, parts.sealer, run, flow);
    await insertList(tx, parts.sealer, run, PLAN, nodes);
    failpoint('flows.planned');
    await this.#advance(new FlowMemory(parts, tx, run, flow, nodes));
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
    await advance.activityEnded(memory.row(n, item), role, end);
    await this.#work(memory, advance);
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
    const flow = await readFlow(tx, parts.sealer, run);
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
      const output = await new Advance(parts, new FlowMemory(parts, tx, run, flow)).output();
      return { status: 'succeeded', output };
    } catch (error) {
      const { code, message } = reasonOf(error, parts.log, { run_id: run.run_id }, OUTPUT_FAULT);
      return { status: 'failed', code, message: `the output of the run: ${message}` };
    }
  }

  async over(tx: Transaction, { run_id }: { run_id: string }): Promise<void> {
    await endFlow(tx, run_id, this.#parts().database.now());
  }

  #advance(memory: FlowMemory): Promise<void> {
    return this.#work(memory, new Advance(this.#parts(), memory));
  }

  async #work(memory: FlowMemory, advance: Advance): Promise<void> {
    await advance.work();
    if (memory.flow.todo.length > 0) memory.tx.afterCommit(() => this.#parts().leftOver());
  }
}
