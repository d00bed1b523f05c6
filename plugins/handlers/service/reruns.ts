import type { Database } from '../../../kernel/contracts/index.ts';
import type { EventBus } from '../../bus/contract.ts';
import type { NewRun, RunLimits, SubmitObserver } from '../../runs/contract.ts';
import { RETRY_MS } from '../domain/ceilings.ts';
import { hasPlace, waitingReason } from '../domain/room.ts';
import { handlerRunId } from '../domain/run-id.ts';
import { HandlerErrors } from '../errors.ts';
import { addCounts } from '../store/counts.ts';
import { freeRoom, type OpenRun, openRuns } from '../store/open-runs.ts';

export interface RerunParts {
  database: Pick<Database, 'now'>;
  bus(): Pick<EventBus, 'lock'>;
  limits(): Pick<RunLimits, 'project'>;
}

/**
 * Reruns of handler runs take places like these (ruling 40), in the transaction that makes them. Somebody waits for the
 * answer, so that one without a place is refused as an emit is. The end of a rerun frees its place like any other.
 */
export const rerunPlaces = ({ database, bus, limits }: RerunParts): SubmitObserver => ({
  name: 'handlers',
  async onSubmitted(tx, runs) {
    for (const run of runs) {
      const again = rerunOf(run);
      if (!again) continue;
      await bus().lock(tx, run);
      const room = await freeRoom(tx, run, limits());
      if (!hasPlace(room, run.trusted))
        throw HandlerErrors.handlersInFlight(`the rerun would be a handler run while ${waitingReason(room)}`, {
          retryAfterMs: RETRY_MS,
        });
      await openRuns(tx, run, [again], database.now());
      await addCounts(tx, run, [{ name: again.name, kind: 'started' }], database.now());
    }
  },
});

/** A rerun has the trigger of its first run, whose id follows from event, handler and replay. */
function rerunOf({ run_id, trigger: { event, handler, replay }, trusted }: NewRun): OpenRun | undefined {
  if (typeof event !== 'string' || typeof handler !== 'string') return undefined;
  const first = handlerRunId(event, handler, typeof replay === 'string' ? replay : undefined);
  return run_id === first ? undefined : { run_id, name: handler, event_id: event, trusted };
}
