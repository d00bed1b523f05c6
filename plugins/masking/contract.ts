import { type Queries, type Transaction, token } from '../../kernel/contracts/index.ts';

/** The text that replaces a secret value. */
export const MASK = '***';

/** Shorter values (in bytes of UTF-8) are not masked: they would make ordinary text unreadable. */
export const MIN_MASKED_LENGTH = 4;

/**
 * Masks one stream of bytes, wherever its chunks are cut. Only bytes that may begin a value are held back; all others
 * are returned at once, so no timer is needed.
 */
export interface MaskStream {
  /** Returns the bytes that are certain now. Returns the chunk itself when nothing changed. */
  push(chunk: Buffer): Buffer;
  /**
   * Returns the bytes that were held back, because the stream pauses. Bytes that could be most of a value are returned
   * as a mask. The stream continues, and a value that is cut here stays masked.
   */
  settle(): Buffer;
  /** Returns the bytes that were held back and ends the stream. */
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
  /** The same for large input; it yields to the event loop. */
  whole(data: Buffer): Promise<Buffer>;
  text(text: string): string;
  /** Masks strings, keys and numbers at any depth. */
  json<T>(value: T): T;
}

export interface Maskers {
  /**
   * Returns a masker for these values; the same values share one. Values shorter than `MIN_MASKED_LENGTH` are left out.
   * Throws `secrets_too_large` beyond 1 MiB.
   */
  masker(values: readonly string[]): Masker;
}

export const Maskers = token<Maskers>('masking.Maskers');

export interface MaskedRun {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** The secret values that runs were given, sealed, so that every view of a run can mask them. */
export interface RunMasks {
  /**
   * Stores values that a job of the run will receive; durable when it resolves. Answers all values that the run was
   * ever given. Throws `secrets_too_large`.
   */
  remember(run: MaskedRun, values: readonly string[]): Promise<readonly string[]>;
  /**
   * What a run has may reach others of its project: those that it starts or calls, and those that wait for it. From now on
   * the values of the first run are masked in these too.
   */
  inherit(tx: Transaction, from: string, run_ids: readonly string[]): Promise<void>;
  /** A masker for every value that the run was given so far, by any server. In a transaction, `on` is that, and the keys are ready. */
  of(run: MaskedRun, on?: Queries): Promise<Masker>;
  /** The same for many runs of one project, keyed by run. */
  ofMany(scope: Omit<MaskedRun, 'run_id'>, run_ids: readonly string[]): Promise<ReadonlyMap<string, Masker>>;
}

export const RunMasks = token<RunMasks>('masking.RunMasks');
