import type { PendingEvent } from '../../bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { WorkflowStart } from '../../workflows/contract.ts';
import { handlerRunId } from './run-id.ts';

/** What a handler run needs of its event. A queued delivery stores the same. */
export interface StartEvent {
  event_id: string;
  type: string;
  subject: string | null;
  /** The scalar fields of the envelope besides type, event, key and payload, such as `sha`, `ref` or `repo`. */
  fields: { [name: string]: Json };
  /** The generation of the event itself. */
  generation: number;
  trusted: boolean;
  /** The span that caused the event, if any. */
  trace?: string | undefined;
}

export function toStartEvent(event: PendingEvent): StartEvent {
  const { event_id, type, key, fields, generation, trusted, trace } = event;
  const scalars = Object.entries(fields ?? {}).filter(
    ([name, value]) => name !== 'replay' && typeof value !== 'object',
  );
  return {
    event_id,
    type,
    subject: key,
    fields: Object.fromEntries(scalars),
    generation,
    trusted,
    trace: trace ?? undefined,
  };
}

/** Returns how an event, or a replay of it, starts a handler's run. It does not depend on who asks. */
export function toWorkflowStart(handler: string, event: StartEvent, replay?: string): WorkflowStart {
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
