import { valueTooLarge } from '../contract.ts';

/** Maximum bytes that the service stores of a run's output, as JSON. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The keys of the output that a pass has set so far. They are kept in memory, so their size is limited. */
export class StagedOutput {
  readonly #values = new Map<string, { value: unknown; bytes: number }>();
  #bytes = 0;

  /** Stages all of these values or none. Throws `value_too_large`. */
  stage(values: Record<string, unknown>): void {
    const entries = Object.entries(values).map(([key, value]) => ({ key, value, bytes: entryBytes(key, value) }));
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes - (this.#values.get(entry.key)?.bytes ?? 0), 0);
    const excess_bytes = this.#bytes + bytes - MAX_BYTES;
    if (excess_bytes > 0)
      throw valueTooLarge(`the run's output would be ${excess_bytes} bytes over the limit of ${MAX_BYTES}`);
    this.#bytes += bytes;
    for (const { key, value, bytes } of entries) this.#values.set(key, { value, bytes });
  }

  values(): Record<string, unknown> {
    return Object.fromEntries([...this.#values].map(([key, { value }]) => [key, value]));
  }
}

/** Returns the size of `"key":value,` as JSON. */
const entryBytes = (key: string, value: unknown): number =>
  Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value) ?? '') + 2;
