import type { Ids } from '../../../kernel/contracts/index.ts';
import type { Activities, ActivityEnd, Completion, Json } from '../../runs/contract.ts';
import type { FlowNodeOutcome, FlowNodeType } from '../contract.ts';
import { attemptEnded, edgeMet, isOver, itemEnded, itemsToBegin, needDecided, WHOLE } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { isLargerThan } from '../domain/json-size.ts';
import { nodeUnknown, outputTooLarge, TIMED_OUT } from '../errors.ts';
import { insertList } from '../store/lists.ts';
import { MAX_OUTPUT_BYTES, sealOutput, type StoredNode } from '../store/node-rows.ts';
import { named, nameOf, writtenId } from '../domain/attempts.ts';
import type { FlowMemory } from './flow-memory.ts';
import { Evaluation, type EvaluationParts } from './evaluation.ts';
import { type FaultParts, NODE_FAULT, reasonOf } from './faults.ts';
import { keepStep } from './keep-step.ts';
import { conditionOf, contextOf, itemsOf } from './node-input.ts';

/** Nodes and items that one transaction begins or decides; the rest is left to the next transaction. */
export const MAX_STEPS = 500;
/** So many bytes of output count as one more step. */
const STEP_BYTES = 64 * 1024;
/** What an attempt of a node counts for beside its result: its rows. */
const ATTEMPT_BYTES = 256;
/** So many bytes are not stored before they are counted. */
const UNCOUNTED_BYTES = 1024 * 1024;
/** Steps and edges whose rows are read ahead together. */
const AHEAD = 64;

export interface AdvanceParts extends EvaluationParts, FaultParts {
  ids: Ids;
  types: ReadonlyMap<string, FlowNodeType>;
  activities: () => Pick<Activities, 'ends'>;
}

/**
 * Carries a flow on, within one transaction.
 *
 * The end of a node reads and writes its own row, the row of the flow and the rows of those that need it; it reads the
 * parts of the plan (16 nodes each) that these are in, and the results that their expressions name. The end of an item
 * reads and writes the rows of the item, of its node and of the flow, and makes the row of the item that begins in its
 * place. Neither depends on how many nodes the plan has, or items the fan-out.
 */
export class Advance {
  readonly #parts: AdvanceParts;
  readonly #memory: FlowMemory;
  #left = MAX_STEPS;
  /** Bytes that this transaction stores and that are not counted yet. */
  #stored = 0;
  readonly #evaluation: Evaluation;

  constructor(parts: AdvanceParts, memory: FlowMemory) {
    this.#parts = parts;
    this.#memory = memory;
    this.#evaluation = new Evaluation(parts, memory);
  }

  /** Performs the pending steps up to the limit, and stores the result. */
  async work(): Promise<void> {
    const { flow } = this.#memory;
    while (flow.todo.length > 0 && this.#left > 0 && flow.stopped === 0) {
      if (this.#stored >= UNCOUNTED_BYTES && !(await this.#counted())) break;
      await this.#memory.load(flow.todo.slice(-AHEAD).map(({ n }) => Math.min(n, flow.nodes - 1)));
      const step = flow.todo.pop()!;
      if (step.do === 'settle') await this.#settle(step.n, step.from);
      else if (step.do === 'begin') await this.#begin(step.n);
      else if (step.do === 'fill') await this.#fill(step.n);
      else
        await keepStep(step, this.#parts, this.#memory, {
          seal: (row, output) => this.#sealed(row, output),
          skip: (row) => this.#over(row, 'skipped'),
          spend: (steps) => {
            this.#left -= steps;
          },
        });
    }
    await this.#counted();
    if (flow.stopped === 1) flow.todo = [];
    await this.#memory.save();
  }

  /**
   * Counts what was stored: a small document can make much, as a fan-out repeats a result for each of its items. False when it
   * was too much, and the flow has stopped.
   */
  async #counted(): Promise<boolean> {
    const bytes = this.#stored;
    this.#stored = 0;
    const beyond = bytes === 0 ? undefined : await this.#memory.run.count(bytes);
    if (beyond === undefined) return true;
    const { code, message } = beyond;
    Object.assign(this.#memory.flow, { failed: 1, stopped: 1, error_code: code, error_message: message });
    await this.#memory.cancel(message);
    return false;
  }

  /** The consequence of an ended activity for its node. */
  async activityEnded(row: StoredNode, role: 'work' | 'timer' | 'pause', end: ActivityEnd): Promise<void> {
    if (role === 'timer') {
      if (row.timer_id !== end.activity_id || row.state !== 'running') return;
      await this.#memory.cancel('the timeout has passed', [row.activity_id!]);
      const message = `the attempt took longer than ${this.#memory.node(row.n).timeout_ms} ms`;
      return this.#attemptEnded(row, { status: 'failed', code: TIMED_OUT, message });
    }
    if (row.activity_id !== end.activity_id || isOver(row)) return undefined;
    if (role === 'pause') return this.#carryOut(row);
    return this.#workEnded(row, end);
  }

  /** The nodes that need this one, beginning at an edge. */
  async #settle(n: number, from: number): Promise<void> {
    const { flow } = this.#memory;
    const node = this.#memory.node(n);
    const edges = node.next.slice(from, from - (from % AHEAD) + AHEAD);
    await this.#memory.load(edges.map((edge) => edge.n));
    for (const [i, edge] of edges.entries()) {
      this.#left -= 1;
      const row = this.#memory.change(this.#memory.row(edge.n));
      const next = this.#memory.node(edge.n);
      const verdict = needDecided(next, row, edgeMet(node, this.#memory.row(n), edge));
      const rest = from + i + 1;
      if (verdict === 'wait') continue;
      // The consequences come first: the list of pending steps is never longer than the flow is deep.
      if (rest < node.next.length) flow.todo.push({ do: 'settle', n, from: rest });
      if (verdict === 'begin') flow.todo.push({ do: 'begin', n: edge.n });
      else this.#over(row, 'skipped');
      return;
    }
    const rest = from + edges.length;
    if (rest < node.next.length) flow.todo.push({ do: 'settle', n, from: rest });
  }

  async #begin(n: number): Promise<void> {
    this.#left -= 1;
    const node = this.#memory.node(n);
    const row = this.#memory.change(this.#memory.row(n));
    if (row.state !== 'waiting') return;
    row.started_at = this.#memory.now;
    try {
      if (node.if && !(await conditionOf(node, this.#evaluation))) return this.#over(row, 'skipped');
      if (node.fan_out) return await this.#fanOut(node, row);
    } catch (error) {
      return this.#refused(row, error);
    }
    await this.#carryOut(row);
  }

  async #fanOut(node: PlannedNode, row: StoredNode): Promise<void> {
    const list = await itemsOf(node, this.#evaluation);
    this.#stored += bytesOf(list);
    await insertList(this.#memory.tx, this.#parts.sealer, this.#memory.run, node.n, list);
    this.#memory.keepItems(node.n, list);
    row.state = 'running';
    row.total = list.length;
    if (list.length === 0) return this.#over(row, 'succeeded');
    this.#again(node.n);
  }

  async #fill(n: number): Promise<void> {
    const node = this.#memory.node(n);
    const row = this.#memory.change(this.#memory.row(n));
    while (itemsToBegin(node, row) > 0 && this.#left > 0 && this.#stored < UNCOUNTED_BYTES) {
      this.#left -= 1;
      const item = this.#memory.change(this.#memory.row(n, row.begun));
      row.begun += 1;
      item.started_at = this.#memory.now;
      await this.#carryOut(item);
    }
    if (itemsToBegin(node, row) > 0) this.#again(n);
  }

  #again(n: number): void {
    const { todo } = this.#memory.flow;
    const next = todo.at(-1);
    if (next?.do !== 'fill' || next.n !== n) todo.push({ do: 'fill', n });
  }

  /** The next attempt of a node or an item. */
  async #carryOut(row: StoredNode): Promise<void> {
    const node = this.#memory.node(row.n);
    row.state = 'running';
    row.attempt += 1;
    this.#stored += ATTEMPT_BYTES;
    row.activity_id = null;
    this.#memory.change(row);
    let outcome: FlowNodeOutcome;
    let sealed: Buffer | undefined;
    try {
      const type = this.#parts.types.get(node.type);
      if (!type) throw nodeUnknown(`no plugin provides the node type ${node.type} of node ${node.id}`);
      const context = await contextOf(node, row, this.#memory, this.#evaluation);
      outcome = await type.begin(this.#memory.tx, context);
      if (!this.#memory.run.trusted) this.#stored += bytesOf(broughtBy(outcome, context));
      if ('output' in outcome) sealed = this.#sealed(row, outcome.output);
    } catch (error) {
      return this.#refused(row, error);
    }
    if ('output' in outcome) {
      await this.#memory.run.start();
      row.output = sealed!;
      row.outcome = outcome.case ?? null;
      return this.#attemptEnded(row, { status: 'succeeded', output: null });
    }
    const resumed = 'activity' in outcome ? this.#resumed(row) : undefined;
    const activity_id = this.#newActivity(row, 'work', resumed);
    row.activity_id = activity_id;
    const name = nameOf(node, row);
    if ('wait' in outcome) {
      const { timeout_ms = node.timeout_ms } = outcome.wait;
      const wait = { ...outcome.wait, timeout_ms };
      const end = await this.#memory.run.wait({ activity_id, name, wait, queued: outcome.queued });
      if (end) return this.#workEnded(row, end);
      // The end of a wait's own time may be a success, as that of a delay. That of the node's time never is.
      if (node.timeout_ms === undefined || node.timeout_ms >= timeout_ms!) return undefined;
    } else this.#memory.add({ activity_id, name, ...outcome.activity, ...(resumed && { resumed: true }) });
    return node.timeout_ms === undefined ? undefined : this.#limit(row, node.timeout_ms);
  }

  /** Arms the timer of an attempt. */
  async #limit(row: StoredNode, timeout_ms: number): Promise<void> {
    row.timer_id = this.#newActivity(row, 'timer');
    await this.#memory.run.wait({
      activity_id: row.timer_id,
      name: `${nameOf(this.#memory.node(row.n), row)} timeout`,
      parent: row.activity_id!,
      wait: { kind: 'sleep', name: '', args: null, timeout_ms },
    });
  }

  /** The activity of its first attempt, when that has a journal already. */
  #resumed({ n, item, attempt }: StoredNode): string | undefined {
    const { resumed } = this.#memory.flow.header;
    return resumed?.n === n && resumed.item === item && attempt === 1 ? resumed.activity_id : undefined;
  }

  #newActivity(row: StoredNode, role: 'work' | 'timer' | 'pause', known?: string): string {
    const activity_id = known ?? this.#parts.ids.next('act');
    this.#memory.mean({ activity_id, n: row.n, item: row.item, role, attempt: row.attempt });
    return activity_id;
  }

  async #workEnded(row: StoredNode, end: ActivityEnd): Promise<void> {
    await this.#memory.run.start();
    if (row.timer_id !== null) await this.#memory.cancel('the node that it belongs to has ended', [row.timer_id]);
    const ended = this.#parts.types.get(this.#memory.node(row.n).type)?.ended;
    // The activity keeps it.
    if (end.result.status === 'succeeded') this.#stored += bytesOf(end.result.output);
    if (!ended) return this.#attemptEnded(row, end.result);
    let result: Completion;
    try {
      result = ended(end.result);
      if (result.status === 'succeeded') row.output = this.#sealed(row, result.output);
    } catch (error) {
      return this.#refused(row, error);
    }
    return this.#attemptEnded(row, result);
  }

  #sealed(row: StoredNode, output: Json): Buffer {
    const sealed = sealOutput(this.#parts.sealer, this.#memory.run, row, output);
    this.#left -= Math.floor(sealed.length / STEP_BYTES);
    this.#stored += sealed.length;
    return sealed;
  }

  /** An attempt that could not begin, or whose end could not be read. A database fault ends the whole transaction instead. */
  async #refused(row: StoredNode, error: unknown): Promise<void> {
    const name = nameOf(this.#memory.node(row.n), row);
    const reason = reasonOf(error, this.#parts.log, { run_id: this.#memory.run.run_id, node: name }, NODE_FAULT);
    row.attempt = Math.max(row.attempt, 1);
    await this.#memory.run.start();
    await this.#attemptEnded(row, { status: 'failed', ...reason });
  }

  async #attemptEnded(row: StoredNode, result: Completion): Promise<void> {
    const node = this.#memory.node(row.n);
    this.#memory.change(row);
    const next = attemptEnded(node, row, result, this.#memory.now);
    if (next !== 'over') return this.#pause(row, next.pause_ms);
    if (row.item === WHOLE) return this.#decided(node, row);
    const whole = this.#memory.change(this.#memory.row(row.n));
    const verdict = itemEnded(node, whole, row);
    if (verdict === 'succeeded') return this.#over(whole, 'succeeded');
    if (verdict === 'failed') return this.#failFanOut(node, whole);
    if (whole.begun < whole.total!) this.#again(row.n);
    return undefined;
  }

  /** Waits for the next attempt without an agent. */
  async #pause(row: StoredNode, timeout_ms: number): Promise<void> {
    if (timeout_ms === 0) {
      this.#left -= 1;
      return this.#carryOut(row);
    }
    row.state = 'backoff';
    row.activity_id = this.#newActivity(row, 'pause');
    const wait = { kind: 'sleep', name: '', args: null, timeout_ms };
    const name = `${nameOf(this.#memory.node(row.n), row)} pause`;
    await this.#memory.run.wait({ activity_id: row.activity_id, name, wait });
  }

  async #failFanOut(node: PlannedNode, whole: StoredNode): Promise<void> {
    await this.#memory.cancelItems(whole.n, 'another item of the fan-out has failed');
    whole.state = 'failed';
    await this.#decided(node, whole);
  }

  /** A node has ended by itself. */
  async #decided(node: PlannedNode, row: StoredNode): Promise<void> {
    const { flow } = this.#memory;
    const failed = row.state === 'failed' && !node.continue_on_error;
    if (failed) {
      flow.failed += 1;
      flow.error_code ??= row.error_code;
      flow.error_message ??= named(writtenId(node), row.error_message ?? '');
    }
    this.#over(row, row.state);
    if (failed && flow.header.on_failure === 'stop') await this.#stop(node);
  }

  #over(row: StoredNode, state: StoredNode['state']): void {
    row.state = state;
    row.finished_at = this.#memory.now;
    this.#memory.change(row);
    this.#memory.flow.ended += 1;
    if (this.#memory.node(row.n).next.length > 0) this.#memory.flow.todo.push({ do: 'settle', n: row.n, from: 0 });
  }

  /** Nothing more begins, and everything in progress is cancelled; the rows follow at the end of the run. */
  async #stop(node: PlannedNode): Promise<void> {
    this.#memory.flow.stopped = 1;
    await this.#memory.cancel(`node ${node.id} has failed`);
  }

  /** The output of a succeeded flow. Throws `flow_expression_failed`, `flow_output_too_large`. */
  async output(): Promise<Json> {
    const { output } = this.#memory.flow.header;
    if (output === null) return null;
    const found = (await this.#evaluation.over(output.reads))(output.text);
    const value = output.merged ? membersOf(found) : found;
    if (isLargerThan(MAX_OUTPUT_BYTES, value))
      throw outputTooLarge(`it has more than the ${MAX_OUTPUT_BYTES} bytes of JSON that are kept`);
    return value;
  }
}

/** What an attempt stores beside its result: the work of an activity, what a wait is told, or what was done at once with a config. */
function broughtBy(outcome: FlowNodeOutcome, { config }: { config: unknown }): unknown {
  if ('activity' in outcome) return outcome.activity.spec;
  return 'wait' in outcome ? outcome.wait.args : config;
}

/** Those of all objects of a list; null when there is none. */
function membersOf(list: Json): Json {
  const members = Object.assign({}, ...(list as { [member: string]: Json }[])) as { [member: string]: Json };
  return Object.keys(members).length === 0 ? null : members;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
