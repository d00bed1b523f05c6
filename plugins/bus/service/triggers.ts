import { distinct, type Transaction } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';
import { type NewRun, type SubmitObserver, triggerEventOf } from '../../runs/contract.ts';
import type { NewEvent } from '../contract.ts';
import { insertCancels } from '../store/cancels.ts';
import { armAt } from '../store/arming.ts';
import { type Heard, inheritMasks } from '../store/emitters.ts';
import type { Bus } from './bus.ts';

/**
 * Records why runs were started, unless an event says so already, and arms their cancels. What an event's emitter holds is
 * masked in the runs that it starts.
 */
export function submitObserver(
  bus: Pick<Bus, 'recordWithNext' | 'recordHeld'>,
  masks: Pick<RunMasks, 'inherit'>,
): SubmitObserver {
  return {
    name: 'bus',
    async onSubmitted(tx, runs) {
      bus.recordWithNext(tx, runs.flatMap(triggerEvent));
      const cancellable = runs.filter(({ cancel_on = [] }) => cancel_on.length > 0);
      if (cancellable.length > 0) {
        await bus.recordHeld(tx);
        await armCancels(tx, cancellable);
      }
      await inheritMasks(tx, masks, runs.flatMap(heardBy));
    },
    onWritten: (tx) => bus.recordHeld(tx),
  };
}

/** The event that started a run. */
const heardBy = ({ run_id, project_id, trigger }: NewRun): Heard[] =>
  typeof trigger.event === 'string' ? [{ run_id, project_id, event_id: trigger.event }] : [];

/** A submit or a spawn, with an id derived from the run. */
export function triggerEvent(run: NewRun): NewEvent[] {
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
      ...(parent === undefined ? {} : { fields: { parent } }),
      source: type,
      source_name: run_id,
      generation: run.generation,
      trusted: run.trusted,
      trace: run.trace ?? null,
      refusable: false,
    },
  ];
}

/** Events after a run's own trigger cancel it, never the trigger itself. */
async function armCancels(tx: Transaction, armed: readonly NewRun[]): Promise<void> {
  for (const project_id of distinct(armed, (run) => run.project_id)) {
    const own = armed.filter((run) => run.project_id === project_id);
    const { org_id } = own[0]!;
    const types = distinct(
      own.flatMap(({ cancel_on = [] }) => cancel_on),
      (type) => type,
    );
    const { seq, skips } = await armAt(tx, project_id, types);
    await insertCancels(
      tx,
      own.flatMap(({ run_id, subject = null, trusted, cancel_on = [] }) =>
        [...new Set(cancel_on)].map((type) => ({
          ...{ run_id, type, org_id, project_id, subject, armed_seq: seq },
          skips: skips.get(type) ?? null,
          takes_untrusted: !trusted,
        })),
      ),
    );
  }
}
