import { type Ids, isServiceError, MAX_UNITS_TOGETHER } from '../../../../kernel/contracts/index.ts';
import type { ActivityEnd, Completion, Json } from '../../runs/contract.ts';
import type { FlowNodeOutcome } from '../contract.ts';
import type { FlowNodeTypes } from './node-types.ts';
import {
  completeAttempt,
  isEdgeMet,
  isTerminal,
  completeItem,
  countStartableItems,
  resolveDependency,
  NODE_ITEM,
} from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { isLargerThan } from '../domain/json-size.ts';
import { reusedResultMissing, nodeUnknown, outputTooLarge, TIMED_OUT } from '../errors.ts';
import type { Step } from '../store/flow-row.ts';
import { insertList } from '../store/lists.ts';
import { encodeOutput, MAX_OUTPUT_BYTES, type StoredNode } from '../store/node-rows.ts';
import { activityName, describeFailure } from '../domain/attempts.ts';
import type { FlowMemory } from './flow-memory.ts';
import { Evaluation, type EvaluationDeps } from './evaluation.ts';
import { type FailureDeps, NODE_FAILED, toFailure } from './failures.ts';
import { EarlierResults, ITEMS_AT_ONCE } from './earlier-results.ts';
import { evaluateCondition, createNodeContext, evaluateItems } from './node-input.ts';

/** The number of nodes and items that one transaction begins or decides. The next transaction continues. */
export const MAX_STEPS = 500;
/** This many stored bytes count as one more step. */
const STEP_BYTES = 8 * 1024;
/** This much work of expressions counts as one more step. */
const STEP_UNITS = MAX_UNITS_TOGETHER / MAX_STEPS;
/** The storage that an attempt is charged for its rows, in addition to its result. */
const ATTEMPT_BYTES = 256;
/** At most about this many bytes are stored before they are charged. */
const UNCOUNTED_BYTES = 1024 * 1024;
/** The number of steps and edges whose rows are read together. */
const PREFETCH_COUNT = 64;

type ReuseStep = Extract<Step, { do: 'keep' }>;

export interface AdvanceDeps extends EvaluationDeps, FailureDeps {
  ids: Ids;
  types: FlowNodeTypes;
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
  readonly #deps: AdvanceDeps;
  readonly #memory: FlowMemory;
  #remaining_steps = MAX_STEPS;
  /** Bytes that this transaction stores and that are not counted yet. */
  #stored = 0;
  readonly #evaluation: Evaluation;
  /** Of the run that this one is a rerun of. */
  #earlier: EarlierResults | undefined;

  constructor(deps: AdvanceDeps, memory: FlowMemory) {
    this.#deps = deps;
    this.#memory = memory;
    this.#evaluation = new Evaluation(deps, memory, (units) => {
      this.#remaining_steps -= Math.floor(units / STEP_UNITS);
    });
  }

  /** Performs the pending steps up to the limit, and stores the result. */
  async runSteps(): Promise<void> {
    const { flow } = this.#memory;
    const { paused } = this.#memory.run;
    while (flow.todo.length > 0 && this.#remaining_steps > 0 && flow.stopped === 0 && !paused) {
      if (this.#stored >= UNCOUNTED_BYTES && !(await this.#chargeStorage())) break;
      await this.#memory.load(flow.todo.slice(-PREFETCH_COUNT).map(({ n }) => Math.min(n, flow.nodes - 1)));
      const step = flow.todo.pop()!;
      if (step.do === 'settle') await this.#notifyDependents(step.n, step.from);
      else if (step.do === 'begin') await this.#beginNode(step.n);
      else if (step.do === 'fill') await this.#startItems(step.n);
      else if (step.do === 'retry') await this.#retry(step);
      else await this.#reuse(step);
    }
    await this.#chargeStorage();
    if (flow.stopped === 1) flow.todo = [];
    await this.#memory.save();
  }

  /**
   * Charges the run for what was stored: a small document can store much, because a fan-out repeats a result for each
   * item. Returns false when the limit was exceeded and the flow has stopped.
   */
  async #chargeStorage(): Promise<boolean> {
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
  async onActivityEnded(row: StoredNode, role: 'work' | 'timer' | 'pause', end: ActivityEnd): Promise<void> {
    if (role === 'timer') {
      if (row.timer_id !== end.activity_id || row.state !== 'running') return;
      await this.#memory.cancel('the timeout has passed', [row.activity_id!]);
      const message = `the attempt took longer than ${this.#memory.node(row.n).timeout_ms} ms`;
      return this.#onAttemptEnded(row, { status: 'failed', code: TIMED_OUT, message });
    }
    if (row.activity_id !== end.activity_id || isTerminal(row)) return undefined;
    if (role === 'pause') return this.#memory.run.paused ? this.#leaveRetry(row) : this.#startAttempt(row);
    return this.#onWorkEnded(row, end);
  }

  /** The nodes that need this one, beginning at an edge. */
  async #notifyDependents(n: number, from: number): Promise<void> {
    const { flow } = this.#memory;
    const node = this.#memory.node(n);
    const edges = node.next.slice(from, from - (from % PREFETCH_COUNT) + PREFETCH_COUNT);
    await this.#memory.load(edges.map((edge) => edge.n));
    for (const [i, edge] of edges.entries()) {
      this.#remaining_steps -= 1;
      const row = this.#memory.markChanged(this.#memory.row(edge.n));
      const next = this.#memory.node(edge.n);
      const decision = resolveDependency(next, row, isEdgeMet(node, this.#memory.row(n), edge));
      const next_edge = from + i + 1;
      if (decision === 'wait') continue;
      // Consequences go first, so that the stack of pending steps is never longer than the flow is deep.
      if (next_edge < node.next.length) flow.todo.push({ do: 'settle', n, from: next_edge });
      if (decision === 'begin') flow.todo.push({ do: 'begin', n: edge.n });
      else this.#endNode(row, 'skipped');
      return;
    }
    const next_edge = from + edges.length;
    if (next_edge < node.next.length) flow.todo.push({ do: 'settle', n, from: next_edge });
  }

  /**
   * Copies one result that a rerun reuses, and counts it for the nodes that run again. The step stays on top of the stack
   * until the last result is copied, so no node begins before all of them are there.
   */
  async #reuse(step: ReuseStep): Promise<void> {
    const { flow } = this.#memory;
    const { n, edge = 0 } = step;
    if (n >= flow.nodes) return;
    const node = this.#memory.node(n);
    if (node.kept === undefined) {
      flow.todo.push({ do: 'keep', n: n + 1 });
      return;
    }
    this.#remaining_steps -= 1;
    if (edge === 0) {
      const copy = await this.#copyResult(node, step);
      if (copy === 'stopped') return;
      if (copy !== 'complete') {
        flow.todo.push({ do: 'keep', n, item: copy.last_item });
        return;
      }
      flow.ended += 1;
    }
    await this.#countReused(node, edge);
    const next_edge = edge + PREFETCH_COUNT;
    flow.todo.push(next_edge < node.next.length ? { do: 'keep', n, edge: next_edge } : { do: 'keep', n: n + 1 });
  }

  /** Copies the result of a node, or the next items of a fan-out. Stops the flow when the earlier run no longer exists. */
  async #copyResult(
    node: PlannedNode,
    { item = NODE_ITEM }: ReuseStep,
  ): Promise<'complete' | 'stopped' | { last_item: number }> {
    const { sealer, activities } = this.#deps;
    this.#earlier ??= new EarlierResults({ sealer, activities: activities() }, this.#memory);
    try {
      const last_item = await this.#earlier.copy(node, item, (output) => this.#encodeOutput(output));
      if (last_item === undefined) return 'complete';
      this.#remaining_steps -= ITEMS_AT_ONCE;
      return { last_item };
    } catch (error) {
      if (!isServiceError(error, reusedResultMissing.code)) throw error;
      // Running the node again is not what the rerun asked for, so the whole flow fails.
      Object.assign(this.#memory.flow, { failed: 1, stopped: 1, error_code: error.code, error_message: error.message });
      await this.#memory.cancel(error.message);
      return 'stopped';
    }
  }

  /** Counts the reused result of a node for the nodes that run again. */
  async #countReused(node: PlannedNode, from: number): Promise<void> {
    const edges = node.next.slice(from, from + PREFETCH_COUNT);
    await this.#memory.load(edges.map(({ n }) => n));
    for (const edge of edges) {
      const next = this.#memory.node(edge.n);
      if (next.kept !== undefined) continue;
      this.#remaining_steps -= 1;
      const row = this.#memory.markChanged(this.#memory.row(edge.n));
      const decision = resolveDependency(next, row, isEdgeMet(node, this.#memory.row(node.n), edge));
      if (decision === 'begin') this.#memory.flow.todo.push({ do: 'begin', n: edge.n });
      else if (decision === 'skip') this.#endNode(row, 'skipped');
    }
  }

  async #beginNode(n: number): Promise<void> {
    this.#remaining_steps -= 1;
    const node = this.#memory.node(n);
    const row = this.#memory.markChanged(this.#memory.row(n));
    if (row.state !== 'waiting') return;
    row.started_at = this.#memory.now;
    try {
      if (node.if && !(await evaluateCondition(node, this.#evaluation))) return this.#endNode(row, 'skipped');
      if (node.fan_out) return await this.#fanOut(node, row);
    } catch (error) {
      return this.#failAttempt(row, error);
    }
    await this.#startAttempt(row);
  }

  async #fanOut(node: PlannedNode, row: StoredNode): Promise<void> {
    const list = await evaluateItems(node, this.#evaluation);
    this.#addStored(jsonBytes(list));
    await insertList(this.#memory.tx, this.#deps.sealer, this.#memory.run, node.n, list);
    this.#memory.cacheItems(node.n, list);
    row.state = 'running';
    row.total = list.length;
    if (list.length === 0) return this.#endNode(row, 'succeeded');
    this.#queueMoreItems(node.n);
  }

  async #startItems(n: number): Promise<void> {
    const node = this.#memory.node(n);
    const row = this.#memory.markChanged(this.#memory.row(n));
    while (countStartableItems(node, row) > 0 && this.#remaining_steps > 0 && this.#stored < UNCOUNTED_BYTES) {
      this.#remaining_steps -= 1;
      const item = this.#memory.markChanged(this.#memory.row(n, row.begun));
      row.begun += 1;
      item.started_at = this.#memory.now;
      await this.#startAttempt(item);
    }
    if (countStartableItems(node, row) > 0) this.#queueMoreItems(n);
  }

  #queueMoreItems(n: number): void {
    const { todo } = this.#memory.flow;
    const next = todo.at(-1);
    if (next?.do !== 'fill' || next.n !== n) todo.push({ do: 'fill', n });
  }

  /** Starts the next attempt of a node or an item. */
  async #startAttempt(row: StoredNode): Promise<void> {
    const node = this.#memory.node(row.n);
    row.state = 'running';
    row.attempt += 1;
    this.#stored += ATTEMPT_BYTES;
    row.activity_id = null;
    this.#memory.markChanged(row);
    let outcome: FlowNodeOutcome;
    let output: Buffer | undefined;
    try {
      const type = this.#deps.types.get(node.type);
      if (!type) throw nodeUnknown(`no plugin provides the node type ${node.type} of node ${node.id}`);
      const context = await createNodeContext(node, row, this.#memory, this.#evaluation);
      outcome = await type.begin(this.#memory.tx, context);
      this.#addStored(jsonBytes(storedInput(outcome, context)));
      if ('output' in outcome) output = this.#encodeOutput(outcome.output);
    } catch (error) {
      return this.#failAttempt(row, error);
    }
    if ('output' in outcome) {
      await this.#memory.run.start();
      row.output = output!;
      row.outcome = outcome.case ?? null;
      return this.#onAttemptEnded(row, { status: 'succeeded', output: null });
    }
    const resumed = 'activity' in outcome ? this.#findResumedActivity(row) : undefined;
    const activity_id = this.#newActivity(row, 'work', resumed);
    row.activity_id = activity_id;
    const name = activityName(node, row);
    if ('wait' in outcome) {
      const { timeout_ms = node.timeout_ms } = outcome.wait;
      const wait = { ...outcome.wait, timeout_ms };
      const end = await this.#memory.run.wait({ activity_id, name, wait, queued: outcome.queued });
      if (end) return this.#onWorkEnded(row, end);
      // The end of a wait's own time may be a success, as that of a delay. That of the node's time never is.
      if (node.timeout_ms === undefined || node.timeout_ms >= timeout_ms!) return undefined;
    } else this.#memory.addActivity({ activity_id, name, ...outcome.activity, ...(resumed && { resumed: true }) });
    return node.timeout_ms === undefined ? undefined : this.#armTimeout(row, node.timeout_ms);
  }

  /** Arms the timer of an attempt. */
  async #armTimeout(row: StoredNode, timeout_ms: number): Promise<void> {
    row.timer_id = this.#newActivity(row, 'timer');
    await this.#memory.run.wait({
      activity_id: row.timer_id,
      name: `${activityName(this.#memory.node(row.n), row)} timeout`,
      parent: row.activity_id!,
      wait: { kind: 'sleep', name: '', args: null, timeout_ms },
    });
  }

  /** The activity of its first attempt, when that has a journal already. */
  #findResumedActivity({ n, item, attempt }: StoredNode): string | undefined {
    const { resumed } = this.#memory.flow.header;
    return resumed?.n === n && resumed.item === item && attempt === 1 ? resumed.activity_id : undefined;
  }

  #newActivity(row: StoredNode, role: 'work' | 'timer' | 'pause', existing_id?: string): string {
    const activity_id = existing_id ?? this.#deps.ids.next('act');
    this.#memory.addActivityRow({ activity_id, n: row.n, item: row.item, role, attempt: row.attempt });
    return activity_id;
  }

  async #onWorkEnded(row: StoredNode, end: ActivityEnd): Promise<void> {
    await this.#memory.run.start();
    if (row.timer_id !== null) await this.#memory.cancel('its node has ended', [row.timer_id]);
    const convert = this.#deps.types.get(this.#memory.node(row.n).type)?.ended;
    // The output stays with the activity.
    if (end.result.status === 'succeeded') this.#addStored(end.output_bytes ?? jsonBytes(end.result.output));
    if (!convert) return this.#onAttemptEnded(row, end.result);
    let result: Completion;
    try {
      result = convert(end.result);
      if (result.status === 'succeeded') row.output = this.#encodeOutput(result.output);
    } catch (error) {
      return this.#failAttempt(row, error);
    }
    return this.#onAttemptEnded(row, result);
  }

  #encodeOutput(output: Json): Buffer {
    const encoded = encodeOutput(output);
    this.#addStored(encoded.length);
    return encoded;
  }

  /** Counts what this transaction stores, so that the rest of a flow that stores much is left to the next ones. */
  #addStored(bytes: number): void {
    this.#remaining_steps -= Math.floor(bytes / STEP_BYTES);
    this.#stored += bytes;
  }

  /**
   * Fails an attempt that could not begin, or whose result could not be read. A database error fails the whole
   * transaction instead.
   */
  async #failAttempt(row: StoredNode, error: unknown): Promise<void> {
    const name = activityName(this.#memory.node(row.n), row);
    const reason = toFailure(error, this.#deps.log, { run_id: this.#memory.run.run_id, node: name }, NODE_FAILED);
    row.attempt = Math.max(row.attempt, 1);
    await this.#memory.run.start();
    await this.#onAttemptEnded(row, { status: 'failed', ...reason });
  }

  async #onAttemptEnded(row: StoredNode, result: Completion): Promise<void> {
    const node = this.#memory.node(row.n);
    this.#memory.markChanged(row);
    const next = completeAttempt(node, row, result, this.#memory.now);
    if (next !== 'over') return this.#scheduleRetry(row, next.pause_ms);
    if (row.item === NODE_ITEM) return this.#onNodeEnded(node, row);
    const fan_out = this.#memory.markChanged(this.#memory.row(row.n));
    const outcome = completeItem(node, fan_out, row);
    if (outcome === 'succeeded') return this.#endNode(fan_out, 'succeeded');
    if (outcome === 'failed') return this.#failFanOut(node, fan_out);
    if (fan_out.begun < fan_out.total!) this.#queueMoreItems(row.n);
    return undefined;
  }

  /** Waits for the next attempt without an agent. */
  async #scheduleRetry(row: StoredNode, timeout_ms: number): Promise<void> {
    if (timeout_ms === 0) {
      this.#remaining_steps -= 1;
      if (this.#memory.run.paused) return this.#leaveRetry(row);
      return this.#startAttempt(row);
    }
    row.state = 'backoff';
    row.activity_id = this.#newActivity(row, 'pause');
    const wait = { kind: 'sleep', name: '', args: null, timeout_ms };
    const name = `${activityName(this.#memory.node(row.n), row)} pause`;
    await this.#memory.run.wait({ activity_id: row.activity_id, name, wait });
  }

  /** Leaves the next attempt until the run is resumed. */
  #leaveRetry(row: StoredNode): void {
    row.state = 'backoff';
    row.activity_id = null;
    this.#memory.markChanged(row);
    this.#memory.flow.todo.push({ do: 'retry', n: row.n, item: row.item });
  }

  /** The item may have been cancelled since. */
  async #retry({ n, item }: Extract<Step, { do: 'retry' }>): Promise<void> {
    this.#remaining_steps -= 1;
    await this.#memory.load([n], [{ n, item }]);
    const row = this.#memory.row(n, item);
    if (row.state === 'backoff' && row.activity_id === null) await this.#startAttempt(row);
  }

  async #failFanOut(node: PlannedNode, fan_out: StoredNode): Promise<void> {
    await this.#memory.cancelItems(fan_out.n, 'another item of the fan-out has failed');
    fan_out.state = 'failed';
    await this.#onNodeEnded(node, fan_out);
  }

  /** Handles a node that has ended by itself. */
  async #onNodeEnded(node: PlannedNode, row: StoredNode): Promise<void> {
    const { flow } = this.#memory;
    const failed = row.state === 'failed' && !node.continue_on_error;
    if (failed) {
      flow.failed += 1;
      flow.error_code ??= row.error_code;
      flow.error_message ??= describeFailure(node, row.error_message ?? '');
    }
    this.#endNode(row, row.state);
    if (failed && flow.header.on_failure === 'stop') await this.#stopFlow(node);
  }

  #endNode(row: StoredNode, state: StoredNode['state']): void {
    row.state = state;
    row.finished_at = this.#memory.now;
    this.#memory.markChanged(row);
    this.#memory.flow.ended += 1;
    if (this.#memory.node(row.n).next.length > 0) this.#memory.flow.todo.push({ do: 'settle', n: row.n, from: 0 });
  }

  /**
   * Stops the flow: no node begins any more and everything in progress is cancelled. The rows are updated at the end of
   * the run.
   */
  async #stopFlow(node: PlannedNode): Promise<void> {
    this.#memory.flow.stopped = 1;
    await this.#memory.cancel(`node ${node.id} has failed`);
  }

  /** The output of a succeeded flow. Throws `flow_expression_failed`, `flow_output_too_large`. */
  async evaluateOutput(): Promise<Json> {
    const { output } = this.#memory.flow.header;
    if (output === null) return null;
    const result = (await this.#evaluation.createEvaluator(output.reads)).evaluate(output.text);
    const value = output.merged ? mergeMembers(result) : result;
    if (isLargerThan(MAX_OUTPUT_BYTES, value))
      throw outputTooLarge(`its JSON is larger than the limit of ${MAX_OUTPUT_BYTES}`);
    return value;
  }
}

/**
 * Returns what an attempt stores in addition to its result: the spec of an activity, the arguments of a wait, or the
 * config of a node that completed at once.
 */
function storedInput(outcome: FlowNodeOutcome, { config }: { config: unknown }): unknown {
  if ('activity' in outcome) return outcome.activity.spec;
  return 'wait' in outcome ? outcome.wait.args : config;
}

/** Merges the members of all objects of a list; null when there are none. */
function mergeMembers(list: Json): Json {
  const members = Object.assign({}, ...(list as { [member: string]: Json }[])) as { [member: string]: Json };
  return Object.keys(members).length === 0 ? null : members;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');
