import { type Database, Errors, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import { type NewRun, rerunSourceOf, type RunLimits, type SubmitObserver } from '../../../engine/runs/contract.ts';
import { RETRY_MS } from '../domain/ceilings.ts';
import { hasSlot, waitingReason } from '../domain/capacity.ts';
import { admissionId, blockedReason, KEY_FIELD } from '../domain/concurrency.ts';
import { RETRY_KEY } from '../domain/retry.ts';
import { handlerRunId } from '../domain/run-id.ts';
import { HandlerErrors } from '../errors.ts';
import { isGroupFull } from '../store/admissions.ts';
import { addCounts } from '../store/counts.ts';
import { removeLettersOf } from '../store/dead-letters.ts';
import { findRetry, removeRetriesOfEvent } from '../store/retries.ts';
import { readCapacity, type OpenRun, insertOpenRuns } from '../store/open-runs.ts';
import type { Registry } from './registry.ts';

export interface RerunDeps {
  database: Pick<Database, 'now'>;
  bus(): Pick<EventBus, 'lock'>;
  limits(): Pick<RunLimits, 'project'>;
  registry: Pick<Registry, 'optionsOf'>;
}

/**
 * Makes reruns of handler runs use slots too (ruling 40), in the transaction that creates them. Somebody waits for
 * the result, so a rerun without a free slot is rejected like an emit. Its end frees the slot like that of any other
 * run. Nobody waits for a retry, so its handler's limit of concurrency applies as well.
 */
export const rerunSlots = ({ database, bus, limits, registry }: RerunDeps): SubmitObserver => ({
  name: 'handlers',
  async onSubmitted(tx, runs) {
    for (const run of runs) {
      const rerun = asRerun(run);
      if (!rerun) continue;
      await bus().lock(tx, run);
      const capacity = await readCapacity(tx, run, limits());
      if (!hasSlot(capacity, run.trusted))
        throw HandlerErrors.handlersInFlight(`the rerun would start a handler run, but ${waitingReason(capacity)}`, {
          retryAfterMs: RETRY_MS,
        });
      const source = rerunSourceOf(run.idempotency_key, RETRY_KEY);
      const retry = source === undefined ? undefined : await findRetry(tx, run, source);
      if (source !== undefined && !retry) throw Errors.notFound('the retry was already made, or given up');
      if (retry) await assertWithinLimit(registry, tx, run, rerun);
      await removeRetriesOfEvent(tx, run, rerun);
      await insertOpenRuns(tx, run, [{ ...rerun, attempt: retry?.attempt }], database.now());
      await removeLettersOf(tx, run, [rerun]);
      await addCounts(tx, run, [{ name: rerun.name, kind: 'started' }], database.now());
    }
  },
});

/** Throws `handlers_in_flight` if the handler of a retry has no free place for it. */
async function assertWithinLimit(
  registry: RerunDeps['registry'],
  tx: Transaction,
  run: NewRun,
  { name, admission, trusted }: OpenRun,
): Promise<void> {
  if (admission === undefined) return;
  const concurrency = (await registry.optionsOf(tx, run)).get(name)?.concurrency;
  if (!concurrency || !(await isGroupFull(tx, run, { admission, trusted }, concurrency.limit))) return;
  throw HandlerErrors.handlersInFlight(blockedReason(concurrency, String(run.trigger[KEY_FIELD])), {
    retryAfterMs: RETRY_MS,
  });
}

/** A rerun has the same trigger as its first run, whose id is derived from event, handler and replay. */
function asRerun({ run_id, trigger, trusted }: NewRun): OpenRun | undefined {
  const { event, handler, replay } = trigger;
  if (typeof event !== 'string' || typeof handler !== 'string') return undefined;
  const first_run_id = handlerRunId(event, handler, typeof replay === 'string' ? replay : undefined);
  if (run_id === first_run_id) return undefined;
  return { run_id, name: handler, event_id: event, trusted, admission: admissionId(handler, trigger) };
}
