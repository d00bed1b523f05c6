import type { Activities, Json } from '../../runs/contract.ts';
import { newRow, NODE_ITEM } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { reusedResultMissing } from '../errors.ts';
import { readAnyFlow } from '../store/any-flow.ts';
import type { NodeReader } from '../store/node-reader.ts';
import type { StoredNode } from '../store/node-rows.ts';
import { type OutputDeps, readOutputs, takePage } from '../store/outputs.ts';
import type { FlowMemory } from './flow-memory.ts';

export const ITEMS_AT_ONCE = 64;

/** Encodes an output for its row in the new run. */
type Encode = (output: Json) => Buffer;

interface EarlierResultsDeps extends OutputDeps {
  activities: Pick<Activities, 'ends' | 'outputBytes' | 'record'>;
}

/** Copies what nodes came to in the run that this one is a rerun of. */
export class EarlierResults {
  readonly #deps: EarlierResultsDeps;
  readonly #memory: FlowMemory;
  #reader: NodeReader | undefined;

  constructor(deps: EarlierResultsDeps, memory: FlowMemory) {
    this.#deps = deps;
    this.#memory = memory;
  }

  /**
   * Copies a reused node, or the next items of a fan-out after `after`. Returns the last copied item, or undefined when
   * the node is complete. Throws `flow_kept_result_gone`.
   */
  async copy(node: PlannedNode, after: number, encode: Encode): Promise<number | undefined> {
    const earlier = await this.#readEarlier(node);
    const node_row = this.#memory.markChanged(this.#memory.row(node.n));
    if (earlier.total !== null) {
      const last = await this.#copyItems(node, node_row, after, encode);
      if (last !== undefined) {
        Object.assign(node_row, { state: 'running', total: earlier.total });
        return last;
      }
    }
    const { begun, ended, failed } = node_row;
    const [output] = await readOutputs(this.#memory.tx, this.#deps, this.#scope(), [earlier]);
    Object.assign(node_row, this.#toCopiedRow(earlier, node.n), { begun, ended, failed });
    if (output !== undefined) node_row.output = encode(output);
    return undefined;
  }

  #scope() {
    const { org_id, project_id } = this.#memory.run;
    return { org_id, project_id, run_id: this.#memory.flow.header.kept! };
  }

  /** Undefined when the earlier run was removed. */
  async #openReader(): Promise<NodeReader | undefined> {
    this.#reader ??= (await readAnyFlow(this.#memory.tx, this.#deps, this.#scope()))?.reader;
    return this.#reader;
  }

  async #readEarlier(node: PlannedNode): Promise<StoredNode> {
    const { run_id } = this.#scope();
    const reader = await this.#openReader();
    const [earlier] = (await reader?.nodes([{ n: node.kept!, item: NODE_ITEM }])) ?? [];
    if (earlier) return earlier;
    throw reusedResultMissing(
      `this run reuses the result of node ${node.id} from the run ${run_id}, which was removed`,
    );
  }

  /** Copies the next items. Returns the last one, or undefined when there were none. */
  async #copyItems(
    node: PlannedNode,
    node_row: StoredNode,
    after: number,
    encode: Encode,
  ): Promise<number | undefined> {
    const scope = this.#scope();
    const reader = await this.#openReader();
    const listed = (await reader?.listItems(node.kept!, after, ITEMS_AT_ONCE)) ?? [];
    const page = await takePage(this.#memory.tx, this.#deps.activities, scope, listed);
    const items = ((await reader?.nodes(page)) ?? []).sort((a, b) => a.item - b.item);
    const outputs = await readOutputs(this.#memory.tx, this.#deps, scope, items);
    for (const [i, earlier] of items.entries()) {
      const item = this.#memory.markChanged(this.#memory.row(node.n, earlier.item));
      Object.assign(item, this.#toCopiedRow(earlier, node.n));
      if (outputs[i] !== undefined) item.output = encode(outputs[i]);
      node_row.begun += 1;
      node_row.ended += 1;
      node_row.failed += earlier.state === 'failed' ? 1 : 0;
    }
    return items.at(-1)?.item;
  }

  /** Returns a copy of the row without its activities, which stay with their run. */
  #toCopiedRow(earlier: StoredNode, n: number): StoredNode {
    const { item, met } = earlier;
    return { ...newRow(n, item, 0), ...earlier, n, met, open: 0, activity_id: null, timer_id: null, output: null };
  }
}
