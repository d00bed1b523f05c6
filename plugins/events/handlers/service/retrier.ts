import {
  type Clock,
  type Database,
  inPages,
  isServiceError,
  type IterationResult,
  type Log,
  type Transaction,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import type { RunReruns } from '../../../engine/runs/contract.ts';
import { OPERATOR } from '../../../platform/audit/contract.ts';
import { toDeadLetter } from '../domain/dead-letters.ts';
import { RETRY_KEY } from '../domain/retry.ts';
import { insertDeadLetters } from '../store/dead-letters.ts';
import { handlers } from '../store/handlers.ts';
import { listDueRetries, type PendingRetry, postponeRetry, readNextRetry, removeRetry } from '../store/retries.ts';
import type { StarterDeps } from './starter.ts';

export interface RetrierDeps {
  database: Database;
  ids: StarterDeps['ids'];
  bus(): Pick<EventBus, 'lock'>;
  reruns(): RunReruns;
  clock: Clock;
  log: Log;
}

const PAGE = 64;
const POLL = { min_ms: 200, max_ms: 1000 };
/** How long a retry waits that found no free slot. */
const POSTPONED_MS = 1000;

/**
 * Runs failed runs of handlers again when it is time. Any server may do it: a rerun with the key of retries exists once for each
 * failed run, and the transaction that creates it removes the retry.
 */
export class Retrier {
  readonly #deps: RetrierDeps;
  readonly #loop: WorkLoop;

  constructor(deps: RetrierDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock,
      log,
      poll: POLL,
      messages: {
        failing: 'retrying failed handler runs does not work; trying again',
        recovered: 'failed handler runs are retried again',
      },
      iterate: () => this.#iterate(),
    });
  }

  start(): () => Promise<void> {
    return this.#loop.start();
  }

  async #iterate(): Promise<IterationResult> {
    const { database } = this.#deps;
    const now = database.now();
    let processed = 0;
    let failure: unknown;
    const due = (after: PendingRetry | undefined, limit: number) => listDueRetries(database, after, now, limit);
    for await (const retry of inPages(PAGE, due)) {
      if (this.#loop.stopped) break;
      processed += 1;
      try {
        await this.#retry(retry);
      } catch (error) {
        failure ??= error;
      }
    }
    const next = await readNextRetry(database);
    return {
      processed,
      failure,
      ...(next !== undefined && {
        due_ms: Math.max(0, next - database.now()),
        next: { at: next, description: 'the retry of a handler run' },
      }),
    };
  }

  async #retry(retry: PendingRetry): Promise<void> {
    const { database, reruns } = this.#deps;
    const { org_id, project_id, run_id, name } = retry;
    const handler = await handlers.find(database, retry, name);
    if (!handler) return void (await database.transaction((tx) => removeRetry(tx, retry, run_id)));
    const { org, project } = await handlers.get(database, retry, name);
    try {
      await reruns().rerun({ org_id, project_id, org, project, run_id, key: RETRY_KEY, by: OPERATOR });
      // Another server may have created the rerun, and died before it could remove the retry.
      await database.transaction((tx) => removeRetry(tx, retry, run_id));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      if (error.status === 429 || error.status >= 500)
        await postponeRetry(database, retry, database.now() + POSTPONED_MS);
      else await this.#giveUp(retry, error.message);
    }
  }

  /** The run cannot be run again: its event is no longer stored, or its credentials are gone. */
  async #giveUp(retry: PendingRetry, reason: string): Promise<void> {
    const { database, ids, bus } = this.#deps;
    await database.transaction(async (tx: Transaction) => {
      await bus().lock(tx, retry);
      if (!(await removeRetry(tx, retry, retry.run_id))) return;
      await insertDeadLetters(tx, retry, [toDeadLetter(ids, { ...retry, reason }, database.now())]);
    });
  }
}
