import { valueTooLarge } from '../contract.ts';

/** What the service keeps of a run's output, as JSON. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The keys of the output that a pass has set so far: in memory, so there is an end to them. */
export class StagedOutput {
  readonly #values = new Map<string, { value: unknown; bytes: number }>();
  #bytes = 0;

  /** All of these or none. Throws `value_too_large`. */
  stage(given: Record<string, unknown>): void {
    const entries = Object.entries(given).map(([key, value]) => ({ key, value, bytes: sizeOf(key, value) }));
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes - (this.#values.get(entry.key)?.bytes ?? 0), 0);
    const over = this.#bytes + bytes - MAX_BYTES;
    if (over > 0) throw valueTooLarge(`the output of the run would be ${over} bytes over the ${MAX_BYTES} kept`);
    this.#bytes += bytes;
    for (const { key, value, bytes } of entries) this.#values.set(key, { value, bytes });
  }

  values(): Record<string, unknown> {
    return Object.fromEntries([...this.#values].map(([key, { value }]) => [key, value]));
  }
}

/** `"key":value,` as JSON. */
const sizeOf = (key: string, value: unknown): number =>
  Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value) ?? '') + 2;
