import type { RunView } from '../answers.ts';

export interface InputReader {
  /** Undefined for what is not kept any more. */
  run(run_id: string): Promise<RunView | undefined>;
  event(event_id: string): Promise<{ payload: unknown } | undefined>;
}

/** Reruns of reruns that are followed to the first run. */
const MAX_RERUNS = 20;

/**
 * What a run was given: the payload of the event that started it, or the input of its submit, which the event of the
 * submit holds. A rerun has that of the first run. Undefined when it is not kept any more.
 */
export async function readInput(run: RunView, read: InputReader): Promise<{ value: unknown } | undefined> {
  let first: RunView | undefined = run;
  for (let n = 0; first?.rerun_of && !readEventId(first) && n < MAX_RERUNS; n++) first = await read.run(first.rerun_of);
  if (!first) return undefined;
  const started = readEventId(first);
  if (started) {
    const event = await read.event(started);
    return event && { value: event.payload };
  }
  if (first.rerun_of) return undefined;
  const event = await read.event(`evt_${first.run_id.slice(first.run_id.indexOf('_') + 1)}`);
  return event && { value: (event.payload as { input?: unknown } | null)?.input ?? null };
}

const readEventId = ({ trigger }: RunView): string | undefined =>
  typeof trigger.event === 'string' ? trigger.event : undefined;
