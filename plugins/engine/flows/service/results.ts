import { BoundedMap, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { Activities, ActivityEnd, Json } from '../../runs/contract.ts';
import type { NodeResult } from '../contract.ts';
import { isTerminal } from '../domain/decide.ts';
import type { Reads } from '../domain/plan.ts';
import { outputTooLarge } from '../errors.ts';
import { listItems, openOutput, readNodes, type StoredNode } from '../store/node-rows.ts';
import { takePage } from '../store/outputs.ts';
import type { FlowMemory } from './flow-memory.ts';

const PAGE = 128;
/** The limit of the outputs that one expression reads, and of the cached results, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_CACHED = 1000;

interface Output {
  output: Json;
  bytes: number;
}

interface CachedResult {
  result: NodeResult;
  bytes: number;
}

type Ends = ReadonlyMap<string, ActivityEnd>;

/** Reads the node results that the expressions of one transaction use. The result of an ended node is read once. */
export class Results {
  readonly #memory: FlowMemory;
  readonly #sealer: Sealer;
  readonly #activities: () => Pick<Activities, 'outputBytes'>;
  readonly #cache = new BoundedMap<number, CachedResult>(MAX_CACHED, {
    max_weight: MAX_BYTES,
    weigh: ({ bytes }) => bytes,
  });

  constructor(memory: FlowMemory, sealer: Sealer, activities: () => Pick<Activities, 'outputBytes'>) {
    this.#memory = memory;
    this.#sealer = sealer;
    this.#activities = activities;
  }

  /** Throws `flow_output_too_large`. */
  async readResults(reads: Reads): Promise<Record<string, NodeResult>> {
    const missing = reads.map(([, n]) => n).filter((n) => this.#cache.get(n) === undefined);
    await this.#memory.load(missing);
    const ends = await this.#readEnds(missing.map((n) => this.#memory.row(n)));
    const results: Record<string, NodeResult> = {};
    let remaining_bytes = MAX_BYTES;
    for (const [id, n] of reads) {
      const { result, bytes } = this.#cache.get(n) ?? (await this.#readResult(n, ends, remaining_bytes));
      remaining_bytes -= bytes;
      if (remaining_bytes < 0) throw tooLarge();
      results[id] = result;
    }
    return results;
  }

  async #readResult(n: number, ends: Ends, max_bytes: number): Promise<CachedResult> {
    const row = this.#memory.row(n);
    const fan_out = row.total !== null && row.state !== 'running';
    const { output, bytes } = fan_out ? await this.#itemOutputs(n, max_bytes) : this.#readOutput(row, ends);
    const error = row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' };
    const read = { result: { status: row.state, output, error, case: row.outcome }, bytes };
    if (isTerminal(row)) this.#cache.set(n, read);
    return read;
  }

  /** The items' outputs in order; null for a failed item. */
  async #itemOutputs(n: number, max_bytes: number): Promise<Output> {
    const memory = this.#memory;
    const output: Json[] = Array.from({ length: memory.row(n).total! }, () => null);
    let bytes = 0;
    const addOutputs = async (rows: readonly StoredNode[]) => {
      const ends = await this.#readEnds(rows);
      for (const row of rows) {
        const item_output = this.#readOutput(row, ends);
        output[row.item] = item_output.output;
        bytes += item_output.bytes;
        if (bytes > max_bytes) throw tooLarge();
      }
    };
    const changed = memory.changedItems(n);
    await addOutputs(changed);
    const changed_items = new Set(changed.map(({ item }) => item));
    for (let after = -1; ; ) {
      const { tx, run } = memory;
      const listed = await listItems(tx, run.run_id, n, after, PAGE);
      const page = await takePage(tx, this.#activities(), run, listed);
      const others = page.filter(({ item }) => !changed_items.has(item));
      await addOutputs(await readNodes(tx, run.run_id, others));
      if (listed.length < PAGE && page.length === listed.length) return { output, bytes };
      after = page.at(-1)!.item;
    }
  }

  #readEnds(rows: readonly StoredNode[]): Promise<Ends> {
    const ids = rows.flatMap(({ state, output, activity_id }) =>
      state === 'succeeded' && output === null && activity_id !== null ? [activity_id] : [],
    );
    return ids.length === 0 ? Promise.resolve(new Map()) : this.#memory.run.ends(ids);
  }

  #readOutput(row: StoredNode, ends: Ends): Output {
    if (row.output !== null)
      return { output: openOutput(this.#sealer, this.#memory.run, row), bytes: row.output.length };
    const end = row.activity_id === null ? undefined : ends.get(row.activity_id);
    if (end?.result.status !== 'succeeded') return { output: null, bytes: 0 };
    const { output } = end.result;
    return { output, bytes: end.output_bytes ?? Buffer.byteLength(JSON.stringify(output ?? null)) };
  }
}

const tooLarge = () =>
  outputTooLarge(`the outputs that the expressions read have more than ${MAX_BYTES} bytes of JSON`);
