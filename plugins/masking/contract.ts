import { token } from '../../kernel/contracts/index.ts';

/** What stands in the place of a value. */
export const MASK = '***';

/** Shorter values, in bytes of UTF-8, cannot be masked without making texts unreadable. */
export const SHORTEST_MASKED = 4;

/**
 * Masks one stream of bytes, however it is cut into chunks. Only bytes that may begin a value are held back; all
 * others come out at once, so nothing waits for a timer.
 */
export interface MaskStream {
  /** Answers what is certain by now; the chunk itself when nothing had to be done. */
  push(chunk: Buffer): Buffer;
  /**
   * Answers what was held back, because nothing may come for long: what could be the better part of a value comes
   * out as a mask. The stream goes on, and a value that is cut here is still masked from here on.
   */
  settle(): Buffer;
  /** Answers what was held back; nothing may follow. */
  end(): Buffer;
}

/**
 * Knows a set of values in all their forms: as they are, line by line, in base64, URL-encoded and JSON-escaped. Where
 * occurrences overlap, one mask covers them all.
 */
export interface Masker {
  /** There is nothing to mask. */
  readonly idle: boolean;
  stream(): MaskStream;
  /** The same buffer when nothing in it is to be masked. */
  bytes(data: Buffer): Buffer;
  /** The same for much: gives the event loop its turns. */
  whole(data: Buffer): Promise<Buffer>;
  text(text: string): string;
  /** Strings, keys and numbers at any depth. */
  json<T>(value: T): T;
}

export interface Maskers {
  /**
   * Makes one, or answers that of the same values. Values shorter than `SHORTEST_MASKED` are left out. Throws
   * `secrets_too_large` beyond 1 MiB.
   */
  masker(values: readonly string[]): Masker;
}

export const Maskers = token<Maskers>('masking.Maskers');

export interface MaskedRun {
  org_id: string;
  project_id: string;
  run_id: string;
}

/** The secret values that runs were given, sealed, so that whatever shows a run can mask them. */
export interface RunMasks {
  /**
   * Durable before it resolves: values that a job of the run is about to get. Answers all that the run was ever
   * given. Throws `secrets_too_large`.
   */
  remember(run: MaskedRun, values: readonly string[]): Promise<readonly string[]>;
  /** Of everything that the run was given up to now, whichever server gave it. */
  of(run: MaskedRun): Promise<Masker>;
  /** The same for many of one project, by run. */
  ofMany(scope: Omit<MaskedRun, 'run_id'>, run_ids: readonly string[]): Promise<ReadonlyMap<string, Masker>>;
}

export const RunMasks = token<RunMasks>('masking.RunMasks');
