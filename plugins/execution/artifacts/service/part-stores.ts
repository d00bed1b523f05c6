import { ArtifactErrors } from '../errors.ts';
import type { PartStore } from '../stores/part-store.ts';

/** A store that is opened when it is first needed. */
export interface StoreOpener {
  /** Opens the store and creates it if necessary. Throws `artifact_store_unavailable`. */
  open(): Promise<PartStore>;
  /** Opens the store only if it exists. */
  find(): Promise<PartStore | undefined>;
}

/** The stores that this server can reach. New content goes to one of them; content in the others can still be read. */
export class PartStores {
  readonly #main: StoreOpener;
  readonly #others: readonly StoreOpener[];
  readonly #opened = new Map<string, PartStore>();
  #main_store: PartStore | undefined;

  constructor(main: StoreOpener, others: readonly StoreOpener[] = []) {
    this.#main = main;
    this.#others = others;
  }

  /** Returns the store for new content. */
  async mainStore(): Promise<PartStore> {
    this.#main_store ??= await this.#main.open();
    this.#opened.set(this.#main_store.id, this.#main_store);
    return this.#main_store;
  }

  /** Returns a store by its id. Throws `artifact_store_unavailable`. */
  async get(id: string): Promise<PartStore> {
    const store = this.#opened.get(id) ?? (await this.all()).find((candidate) => candidate.id === id);
    if (store) return store;
    throw ArtifactErrors.storeUnavailable(`this server has no access to the store ${id}`, { retryAfterMs: 60_000 });
  }

  /** Returns the stores that exist. */
  async all(): Promise<readonly PartStore[]> {
    for (const opener of [this.#main, ...this.#others]) {
      const store = await opener.find();
      if (store && !this.#opened.has(store.id)) this.#opened.set(store.id, store);
    }
    return [...this.#opened.values()];
  }
}
