import type { RunObserver, RunTransition } from '../../../engine/runs/contract.ts';
import type { EventBus, NewEvent } from '../contract.ts';
import { removeCancels } from '../store/cancels.ts';

/** Announces run transitions in their own transactions, and removes the cancels of ended runs. */
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
  trace: run.trace,
  refusable: false,
  // A handler that its own run's events start would never stop.
  withheld: run.trigger.handler !== undefined,
});
