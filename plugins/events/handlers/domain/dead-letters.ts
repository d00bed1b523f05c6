import type { Ids } from '../../../../kernel/contracts/index.ts';
import type { PendingEvent } from '../../bus/contract.ts';
import { lowestId } from '../../../platform/retention/contract.ts';
import type { DeadLetter } from '../store/dead-letters.ts';

const PREFIX = 'dlt';
const TIME_END = `${PREFIX}_`.length + 10;

/** Returns a new ID that begins with the time of the failure, so that a range of times is a range of IDs. */
const letterId = (ids: Pick<Ids, 'next'>, failed_at: number): string =>
  lowestId(PREFIX, failed_at).slice(0, TIME_END) + ids.next(PREFIX).slice(TIME_END);

/** A delivery that failed. */
export interface Failure extends Pick<DeadLetter, 'event_id' | 'type' | 'name'> {
  run_id?: string | undefined;
  reason?: string | undefined;
}

export const toDeadLetter = (
  ids: Pick<Ids, 'next'>,
  { event_id, type, name, run_id, reason }: Failure,
  failed_at: number,
): DeadLetter => ({
  letter_id: letterId(ids, failed_at),
  ...{ event_id, type, name, failed_at },
  run_id: run_id ?? null,
  reason: reason ?? null,
});

/** Returns the type of the event that started a run, from the lifecycle event of the run. */
export function startingType({ payload }: PendingEvent): string {
  const { trigger } = (payload ?? {}) as { trigger?: { type?: unknown } };
  return typeof trigger?.type === 'string' ? trigger.type : '';
}
