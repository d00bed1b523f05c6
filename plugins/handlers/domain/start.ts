import type { PendingEvent } from '../../bus/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { WorkflowStart } from '../../workflows/contract.ts';
import { handlerRunId } from './run-id.ts';

/** What a handler run needs of its event; also what is kept of one that waits for a place. */
export interface StartEvent {
  event_id: string;
  type: string;
  subject: string | null;
  /** The single values that the envelope has beside type, event, key and payload: `sha`, `ref`, `repo`… */
  fields: { [name: string]: Json };
  /** Of the event. */
  generation: number;
  trusted: boolean;
  /** The span that the event comes of; absent: none. */
  trace?: string | undefined;
}

export function startEventOf(event: PendingEvent): StartEvent {
  const { event_id, type, key, fields, generation, trusted, trace } = event;
  const single = Object.entries(fields ?? {}).filter(([name, value]) => name !== 'replay' && typeof value !== 'object');
  const traced = typeof trace === 'string' ? { trace } : {};
  return { event_id, type, subject: key, fields: Object.fromEntries(single), generation, trusted, ...traced };
}

/** What the run of an event, or of a replay of it, has of it; the same whoever asks. */
export function startOf(handler: string, event: StartEvent, replay?: string): WorkflowStart {
  const { event_id, type, subject, fields, generation, trusted, trace = null } = event;
  return {
    run_id: handlerRunId(event_id, handler, replay),
    trigger: { ...fields, type, event: event_id, handler, ...(replay !== undefined && { replay }) },
    envelope: { type, $ref: `bus:${event_id}` },
    subject: subject ?? undefined,
    generation: generation + 1,
    trusted,
    trace,
  };
}
