import { type CachedReads, type Transaction, token } from '../../../kernel/contracts/index.ts';

/** The text that replaces a secret value. */
export const MASK = '***';

/** Values with fewer bytes of UTF-8 are not masked, because that would make ordinary text unreadable. */
export const MIN_MASKED_BYTES = 4;

/**
 * Masks one stream of bytes, wherever its chunks begin and end. Only bytes that may begin a value are buffered; all others are
 * returned at once, so no timer is needed.
 */
export interface MaskStream {
  /** Returns the bytes that cannot change any more. Returns the chunk itself when there is nothing to mask. */
  push(chunk: Buffer): Buffer;
  /**
   * Returns the buffered bytes when the stream pauses. Bytes that could be most of a value are returned as a mask. The stream
   * continues, and a value that is split here stays masked.
   */
  flush(): Buffer;
  /** Returns the buffered bytes and ends the stream. */
  end(): Buffer;
}

/**
 * Recognises a set of values in all their forms: plain, line by line, base64, URL-encoded and JSON-escaped. Overlapping
 * occurrences share one mask.
 */
export interface Masker {
  /** True when there is nothing to mask. */
  readonly idle: boolean;
  stream(): MaskStream;
  /** Returns the same buffer when it contains nothing to mask. */
  bytes(data: Buffer): Buffer;
  /** Like `bytes`, for large input: it yields to the event loop. */
  maskLarge(data: Buffer): Promise<Buffer>;
  text(text: string): string;
  /** Masks strings, keys and numbers at any depth. */
  json<T>(value: T): T;
}

export interface Maskers {
  /**
   * Returns a masker for these values; the same values share one. Values shorter than `MIN_MASKED_BYTES` are left out.
   * Throws `secrets_too_large` beyond 1 MiB.
   */
  masker(values: readonly string[]): Masker;
  /**
   * Like `masker`, but makes a masker in several turns of the event loop, because one for many values takes more than a second.
   * Only one is made at a time, and the owners of values take turns. Without an owner, it is made without a turn, because a
   * transaction waits for it.
   */
  prepare(values: readonly string[], owner: string | undefined): Promise<Masker>;
}

export const Maskers = token<Maskers>('masking.Maskers');

export interface MaskedRun {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** Stores the secret values of runs, sealed, so that every view of a run can mask them. */
export interface RunMasks {
  /**
   * Stores values that a job of the run will receive. They are durable when it resolves. Returns all values that the run has ever
   * received. Throws `secrets_too_large`.
   */
  remember(run: MaskedRun, values: readonly string[]): Promise<readonly string[]>;
  /**
   * Like `remember`, for values that are no secret any more after `expires_at` (epoch ms by the database's clock), such as those
   * of a short-lived token. They are then no longer masked, so a run does not grow by every token that it ever got.
   */
  rememberUntil(run: MaskedRun, values: readonly string[], expires_at: number): Promise<void>;
  /**
   * Masks the values of the run `from` in other runs of its project too, which its data may reach: those that it starts or calls,
   * and those that wait for it.
   */
  inherit(tx: Transaction, from: string, run_ids: readonly string[]): Promise<void>;
  /**
   * Returns a masker for every value that the run has received so far, from any server. `on` is the transaction to read in, for
   * which the org's keys must have been loaded.
   */
  of(run: MaskedRun, on?: CachedReads): Promise<Masker>;
  /**
   * Masks items of many runs of one project, with the masker of each item's run. Never holds more than one masker, because one
   * for many values takes tens of megabytes.
   */
  maskEach<Item extends { run_id: string }, Masked>(
    scope: Omit<MaskedRun, 'run_id'>,
    items: readonly Item[],
    mask: (item: Item, masker: Masker) => Masked,
  ): Promise<Masked[]>;
  /** Runs that have values, with ids between these two, in their order. */
  between(after: string, until: string, limit: number): Promise<Pick<MaskedRun, 'run_id' | 'project_id'>[]>;
  /** Nothing of these runs is there to be shown any more, and nothing will come of them. Answers how many rows went. */
  forget(run_ids: readonly string[]): Promise<number>;
}

export const RunMasks = token<RunMasks>('masking.RunMasks');
