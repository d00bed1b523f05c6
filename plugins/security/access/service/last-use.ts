import type { Cancel, Clock, Database, Log, Stop } from '../../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import type { Models } from '../store/models.ts';
import { touchTokens } from '../store/tokens.ts';

/** The shortest interval at which the time of use of one token is written. */
export const MIN_INTERVAL_MS = 60_000;
const FLUSH_MS = 10_000;
const PENDING_SIZE = 10_000;
const CHUNK = 500;

/** Records the use of tokens in the background, never in the path of a request. */
export class LastUse {
  readonly #models: Models;
  readonly #database: Database;
  readonly #pending = new Set<string>();

  constructor(models: Models, database: Database) {
    this.#models = models;
    this.#database = database;
  }

  recordUse(token: { token_id: string; last_used_at: number | null }): void {
    if (this.#database.now() - (token.last_used_at ?? 0) < MIN_INTERVAL_MS || this.#pending.size >= PENDING_SIZE)
      return;
    this.#pending.add(token.token_id);
  }

  async flush(): Promise<void> {
    const token_ids = [...this.#pending];
    this.#pending.clear();
    const used = { at: this.#database.now(), apart_ms: MIN_INTERVAL_MS };
    for (let start = 0; start < token_ids.length; start += CHUNK)
      await touchTokens(this.#models, token_ids.slice(start, start + CHUNK), used);
  }
}

/** Writes the last use every ten seconds, and once more at the stop. */
export function startLastUse(last_use: LastUse, clock: Clock, log: Log): Stop {
  let cancel: Cancel | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const flush = () =>
    last_use.flush().catch((error: unknown) => {
      log.warn({ code: isServiceError(error) ? error.code : 'internal' }, 'writing the last use of tokens failed');
    });
  const arm = () => {
    if (!stopped) cancel = clock.after(FLUSH_MS, tick, { unref: true });
  };
  const tick = () => {
    running = flush().then(arm);
  };
  arm();
  return async () => {
    stopped = true;
    cancel?.();
    await running;
    await flush();
  };
}
