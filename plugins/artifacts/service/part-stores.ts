import { ArtifactErrors } from '../errors.ts';
import type { PartStore } from '../stores/part-store.ts';

/** A place for contents that is opened when it is first needed. */
export interface StoreOpener {
  /** Makes what is not there yet. Throws `artifact_store_unavailable`. */
  open(): Promise<PartStore>;
  /** Only when it is there already. */
  find(): Promise<PartStore | undefined>;
}

/** The stores that this server can reach. New content goes to one of them; what is in another can still be read. */
export class PartStores {
  readonly #main: StoreOpener;
  readonly #others: readonly StoreOpener[];
  readonly #known = new Map<string, PartStore>();
  #writing: PartStore | undefined;

  constructor(main: StoreOpener, others: readonly StoreOpener[] = []) {
    this.#main = main;
    this.#others = others;
  }

  /** Where new content goes. */
  async writing(): Promise<PartStore> {
    this.#writing ??= await this.#main.open();
    this.#known.set(this.#writing.id, this.#writing);
    return this.#writing;
  }

  /** Throws `artifact_store_unavailable`. */
  async get(id: string): Promise<PartStore> {
    const store = this.#known.get(id) ?? (await this.all()).find((one) => one.id === id);
    if (store) return store;
    throw ArtifactErrors.storeUnavailable(`this server has no access to the store ${id}`, { retryAfterMs: 60_000 });
  }

  /** Those that are in use. */
  async all(): Promise<readonly PartStore[]> {
    for (const opener of [this.#main, ...this.#others]) {
      const store = await opener.find();
      if (store && !this.#known.has(store.id)) this.#known.set(store.id, store);
    }
    return [...this.#known.values()];
  }
}
