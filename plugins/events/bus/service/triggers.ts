import { distinct, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { type NewRun, type SubmitObserver, triggerEventOf } from '../../../engine/runs/contract.ts';
import type { NewEvent } from '../contract.ts';
import { insertCancels } from '../store/cancels.ts';
import { lockArmPosition } from '../store/arm-position.ts';
import { type EventReceipt, inheritMasks } from '../store/emitters.ts';
import type { Bus } from './bus.ts';

/**
 * Records why runs were started, unless an event already did, and arms their cancels. Secrets of an event's emitter
 * are masked in the runs that the event starts.
 */
export function submitObserver(
  bus: Pick<Bus, 'buffer' | 'recordBuffered'>,
  masks: Pick<RunMasks, 'inherit'>,
): SubmitObserver {
  return {
    name: 'bus',
    async onSubmitted(tx, runs) {
      bus.buffer(tx, runs.flatMap(triggerEvents));
      const cancellable = runs.filter(({ cancel_on = [] }) => cancel_on.length > 0);
      if (cancellable.length > 0) {
        await bus.recordBuffered(tx);
        await armCancels(tx, cancellable);
      }
      await inheritMasks(tx, masks, runs.flatMap(triggerReceipts));
    },
    onWritten: (tx) => bus.recordBuffered(tx),
  };
}

/** The event that started a run. */
const triggerReceipts = ({ run_id, project_id, trigger }: NewRun): EventReceipt[] =>
  typeof trigger.event === 'string' ? [{ run_id, project_id, event_id: trigger.event }] : [];

/** Returns the event of a submit or a spawn, whose id is derived from the run. */
export function triggerEvents(run: NewRun): NewEvent[] {
  const { type } = run.trigger;
  if (run.triggered || (type !== 'manual' && type !== 'spawn')) return [];
  const { org_id, project_id, run_id, workflow, input, parent } = run;
  return [
    {
      org_id,
      project_id,
      event_id: triggerEventOf(run_id),
      type,
      key: run.subject ?? null,
      payload: { run_id, workflow, ...(input === undefined ? {} : { input }) },
      fields: parent === undefined ? undefined : { parent },
      source: type,
      source_name: run_id,
      generation: run.generation,
      trusted: run.trusted,
      trace: run.trace ?? null,
      refusable: false,
    },
  ];
}

/** Only events after a run's own trigger cancel it, never the trigger itself. */
async function armCancels(tx: Transaction, runs: readonly NewRun[]): Promise<void> {
  for (const project_id of distinct(runs, (run) => run.project_id)) {
    const project_runs = runs.filter((run) => run.project_id === project_id);
    const { org_id } = project_runs[0]!;
    const types = distinct(
      project_runs.flatMap(({ cancel_on = [] }) => cancel_on),
      (type) => type,
    );
    const { seq, skips } = await lockArmPosition(tx, project_id, types);
    await insertCancels(
      tx,
      project_runs.flatMap(({ run_id, subject = null, trusted, cancel_on = [] }) =>
        [...new Set(cancel_on)].map((type) => ({
          run_id,
          type,
          org_id,
          project_id,
          subject,
          armed_seq: seq,
          skips: skips.get(type) ?? null,
          takes_untrusted: !trusted,
        })),
      ),
    );
  }
}
