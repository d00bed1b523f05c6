import { BoundedMap, type Sealer } from '../../../kernel/contracts/index.ts';
import type { ActivityEnd, Json } from '../../runs/contract.ts';
import type { NodeResult } from '../contract.ts';
import { isOver } from '../domain/decide.ts';
import type { Reads } from '../domain/plan.ts';
import { outputTooLarge } from '../errors.ts';
import { openOutput, readItems, type StoredNode } from '../store/node-rows.ts';
import type { FlowMemory } from './flow-memory.ts';

const PAGE = 128;
/** Maximum bytes of the outputs that one expression sees, and of those that are kept for the next expressions. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_KEPT = 1000;

interface Output {
  output: Json;
  bytes: number;
}

interface Kept {
  result: NodeResult;
  bytes: number;
}

type Ends = ReadonlyMap<string, ActivityEnd>;

/** What the expressions of one transaction see of nodes. A node that is over is read once. */
export class Results {
  readonly #memory: FlowMemory;
  readonly #sealer: Sealer;
  readonly #kept = new BoundedMap<number, Kept>(MAX_KEPT, { max_weight: MAX_BYTES, weigh: ({ bytes }) => bytes });

  constructor(memory: FlowMemory, sealer: Sealer) {
    this.#memory = memory;
    this.#sealer = sealer;
  }

  /** Throws `flow_output_too_large`. */
  async of(reads: Reads): Promise<Record<string, NodeResult>> {
    const missing = reads.map(([, n]) => n).filter((n) => this.#kept.get(n) === undefined);
    await this.#memory.load(missing);
    const ends = await this.#endsOf(missing.map((n) => this.#memory.row(n)));
    const results: Record<string, NodeResult> = {};
    let left = MAX_BYTES;
    for (const [id, n] of reads) {
      const { result, bytes } = this.#kept.get(n) ?? (await this.#read(n, ends, left));
      left -= bytes;
      if (left < 0) throw tooMuch();
      results[id] = result;
    }
    return results;
  }

  async #read(n: number, ends: Ends, max_bytes: number): Promise<Kept> {
    const row = this.#memory.row(n);
    const fan_out = row.total !== null && row.state !== 'running';
    const { output, bytes } = fan_out ? await this.#itemOutputs(n, max_bytes) : this.#outputOf(row, ends);
    const error = row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' };
    const read = { result: { status: row.state, output, error, case: row.outcome }, bytes };
    if (isOver(row)) this.#kept.set(n, read);
    return read;
  }

  /** The items' outputs in order; null for a failed item. */
  async #itemOutputs(n: number, max_bytes: number): Promise<Output> {
    const memory = this.#memory;
    const output: Json[] = Array.from({ length: memory.row(n).total! }, () => null);
    let bytes = 0;
    const keep = async (rows: readonly StoredNode[]) => {
      const ends = await this.#endsOf(rows);
      for (const row of rows) {
        const one = this.#outputOf(row, ends);
        output[row.item] = one.output;
        bytes += one.bytes;
        if (bytes > max_bytes) throw tooMuch();
      }
    };
    const changed = memory.changedItems(n);
    await keep(changed);
    const fresh = new Set(changed.map(({ item }) => item));
    for (let after = -1; ; ) {
      const stored = await readItems(memory.tx, memory.run.run_id, n, after, PAGE);
      await keep(stored.filter(({ item }) => !fresh.has(item)));
      if (stored.length < PAGE) return { output, bytes };
      after = stored.at(-1)!.item;
    }
  }

  #endsOf(rows: readonly StoredNode[]): Promise<Ends> {
    const ids = rows.flatMap(({ state, output, activity_id }) =>
      state === 'succeeded' && output === null && activity_id !== null ? [activity_id] : [],
    );
    return ids.length === 0 ? Promise.resolve(new Map()) : this.#memory.run.ends(ids);
  }

  #outputOf(row: StoredNode, ends: Ends): Output {
    if (row.output !== null)
      return { output: openOutput(this.#sealer, this.#memory.run, row), bytes: row.output.length };
    const result = row.activity_id === null ? undefined : ends.get(row.activity_id)?.result;
    if (result?.status !== 'succeeded') return { output: null, bytes: 0 };
    return { output: result.output, bytes: Buffer.byteLength(JSON.stringify(result.output ?? null)) };
  }
}

const tooMuch = () => outputTooLarge(`the outputs that are read have more than ${MAX_BYTES} bytes of JSON`);
