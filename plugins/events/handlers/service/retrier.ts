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
import { isGroupFull } from '../store/admissions.ts';
import { insertDeadLetters } from '../store/dead-letters.ts';
import { handlers } from '../store/handlers.ts';
import { insertRefill } from '../store/refills.ts';
import {
  listDueRetries,
  markRetryWaiting,
  type PendingRetry,
  postponeRetry,
  readNextRetry,
  removeRetry,
} from '../store/retries.ts';
import type { HandlerSummary } from './definitions.ts';
import type { StarterDeps } from './starter.ts';

export interface RetrierDeps {
  database: Database;
  ids: StarterDeps['ids'];
  bus(): Pick<EventBus, 'lock'>;
  reruns(): RunReruns;
  /** Called after a commit that left work to the refiller. */
  refilling(): void;
  clock: Clock;
  log: Log;
}

const PAGE = 64;
const POLL = { min_ms: 200, max_ms: 1000 };
/** How long a retry waits that found no free slot. */
const POSTPONED_MS = 1000;

/**
 * Runs failed runs of handlers again when it is time. Any server may do it: a rerun with the key of retries exists once for each
 * failed run, and the transaction that creates it removes the retry. A retry whose handler is at its limit of concurrency stays due
 * and is looked at again when a run ends, or with the next poll; new deliveries leave it the next place.
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

  /** Called after a commit that may have freed a place that a retry waits for. */
  wake(): void {
    this.#loop.wake();
  }

  async #iterate(): Promise<IterationResult> {
    const { database } = this.#deps;
    const now = database.now();
    let processed = 0;
    let failure: unknown;
    const full = new Set<string>();
    const due = (after: PendingRetry | undefined, limit: number) => listDueRetries(database, after, now, limit);
    for await (const retry of inPages(PAGE, due)) {
      if (this.#loop.stopped) break;
      try {
        if (await this.#retry(retry, full)) processed += 1;
      } catch (error) {
        failure ??= error;
      }
    }
    const next = await readNextRetry(database, now);
    return {
      processed,
      failure,
      ...(next !== undefined && {
        due_ms: Math.max(0, next - database.now()),
        next: { at: next, description: 'the retry of a handler run' },
      }),
    };
  }

  /** Returns false if it still waits. Of each group that is full, which `full` collects, the first retry looks for a place. */
  async #retry(retry: PendingRetry, full: Set<string>): Promise<boolean> {
    const { database, reruns } = this.#deps;
    const { org_id, project_id, run_id, name } = retry;
    const handler = await handlers.find(database, retry, name);
    if (!handler) return database.transaction((tx) => removeRetry(tx, retry, run_id));
    const { concurrency } = JSON.parse(handler.about) as HandlerSummary;
    const { admission, trusted, waiting } = retry;
    if (concurrency && admission !== undefined) {
      const group = `${project_id} ${admission} ${trusted}`;
      if (full.has(group) || (await isGroupFull(database, retry, { admission, trusted }, concurrency.limit))) {
        full.add(group);
        if (!waiting) await markRetryWaiting(database, retry);
        return !waiting;
      }
    }
    const { org, project } = await handlers.get(database, retry, name);
    try {
      await reruns().rerun({ org_id, project_id, org, project, run_id, key: RETRY_KEY, by: OPERATOR });
      // Another server may have created the rerun, and died before it could remove the retry.
      await database.transaction((tx) => removeRetry(tx, retry, run_id));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      if (error.status === 429 || error.status >= 500) await this.#postpone(retry);
      else await this.#giveUp(retry, error.message);
    }
    return true;
  }

  /** It has a place of its handler, but none of the project: meanwhile it leaves its place to deliveries. */
  async #postpone(retry: PendingRetry): Promise<void> {
    const { database } = this.#deps;
    await database.transaction(async (tx) => {
      await postponeRetry(tx, retry, database.now() + POSTPONED_MS);
      await this.#refillGroup(tx, retry);
    });
  }

  async #refillGroup(tx: Transaction, retry: PendingRetry): Promise<void> {
    if (!retry.waiting) return;
    await insertRefill(tx, retry, this.#deps.database.now());
    tx.afterCommit(() => this.#deps.refilling());
  }

  /** The run cannot be run again: its event is no longer stored, or its credentials are gone. */
  async #giveUp(retry: PendingRetry, reason: string): Promise<void> {
    const { database, ids, bus } = this.#deps;
    await database.transaction(async (tx: Transaction) => {
      await bus().lock(tx, retry);
      if (!(await removeRetry(tx, retry, retry.run_id))) return;
      await insertDeadLetters(tx, retry, [toDeadLetter(ids, { ...retry, reason }, database.now())]);
      await this.#refillGroup(tx, retry);
    });
  }
}
