import type { Json } from '../../runs/contract.ts';
import { newRow, WHOLE } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { keptResultGone } from '../errors.ts';
import { readItems, readNodes, type StoredNode } from '../store/node-rows.ts';
import { type OutputParts, readOutputs } from '../store/outputs.ts';
import type { FlowMemory } from './flow-memory.ts';

export const ITEMS_AT_ONCE = 64;

/** Seals an output for its place in the new run. */
type Seal = (row: StoredNode, output: Json) => Buffer;

/** Copies what nodes came to in the run that this one is a rerun of. */
export class EarlierResults {
  readonly #parts: OutputParts;
  readonly #memory: FlowMemory;

  constructor(parts: OutputParts, memory: FlowMemory) {
    this.#parts = parts;
    this.#memory = memory;
  }

  /**
   * Copies a node that is kept, or the next items of a fan-out after `after`. Answers the last item that was copied, or
   * undefined when the node is complete. Throws `flow_kept_result_gone`.
   */
  async copy(node: PlannedNode, after: number, seal: Seal): Promise<number | undefined> {
    const earlier = await this.#earlier(node);
    const whole = this.#memory.change(this.#memory.row(node.n));
    if (earlier.total !== null) {
      const last = await this.#copyItems(node, whole, after, seal);
      if (last !== undefined) {
        Object.assign(whole, { state: 'running', total: earlier.total });
        return last;
      }
    }
    const { begun, ended, failed } = whole;
    const [output] = await readOutputs(this.#memory.tx, this.#parts, this.#scope(), [earlier]);
    Object.assign(whole, this.#copied(earlier, node.n), { begun, ended, failed });
    if (output !== undefined) whole.output = seal(whole, output);
    return undefined;
  }

  #scope() {
    const { org_id, project_id } = this.#memory.run;
    return { org_id, project_id, run_id: this.#memory.flow.header.kept! };
  }

  async #earlier(node: PlannedNode): Promise<StoredNode> {
    const { run_id } = this.#scope();
    const [earlier] = await readNodes(this.#memory.tx, run_id, [{ n: node.kept!, item: WHOLE }]);
    if (earlier) return earlier;
    throw keptResultGone(`the run ${run_id}, whose result of node ${node.id} this one keeps, was removed`);
  }

  /** Answers the last item, or undefined when there was none left. */
  async #copyItems(node: PlannedNode, whole: StoredNode, after: number, seal: Seal): Promise<number | undefined> {
    const scope = this.#scope();
    const items = await readItems(this.#memory.tx, scope.run_id, node.kept!, after, ITEMS_AT_ONCE);
    const outputs = await readOutputs(this.#memory.tx, this.#parts, scope, items);
    for (const [i, earlier] of items.entries()) {
      const item = this.#memory.change(this.#memory.row(node.n, earlier.item));
      Object.assign(item, this.#copied(earlier, node.n));
      if (outputs[i] !== undefined) item.output = seal(item, outputs[i]);
      whole.begun += 1;
      whole.ended += 1;
      whole.failed += earlier.state === 'failed' ? 1 : 0;
    }
    return items.at(-1)?.item;
  }

  /** Activities stay with their run. */
  #copied(earlier: StoredNode, n: number): StoredNode {
    const { item, met } = earlier;
    return { ...newRow(n, item, 0), ...earlier, n, met, open: 0, activity_id: null, timer_id: null, output: null };
  }
}
