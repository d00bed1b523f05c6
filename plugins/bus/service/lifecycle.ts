import type { RunObserver, RunTransition } from '../../runs/contract.ts';
import type { EventBus, NewEvent } from '../contract.ts';
import { removeCancels } from '../store/cancels.ts';

/** Announces what becomes of runs, in the transaction that makes it so; an ended run is not cancelled any more. */
export function lifecycleObserver(bus: Pick<EventBus, 'record'>): RunObserver {
  return {
    name: 'bus',
    async onTransitions(tx, runs) {
      await bus.record(tx, runs.map(lifecycleEvent));
      const ended = runs.filter(({ type }) => type !== 'run.started').map(({ run_id }) => run_id);
      await removeCancels(tx, ended);
    },
  };
}

export const lifecycleEvent = (run: RunTransition): NewEvent => ({
  org_id: run.org_id,
  project_id: run.project_id,
  type: run.type,
  key: run.subject,
  payload: run.payload,
  source: 'lifecycle',
  source_name: run.run_id,
  generation: run.generation,
  trusted: run.trusted,
  refusable: false,
  // A handler that is told of itself would never end.
  withheld: run.trigger.handler !== undefined,
});
