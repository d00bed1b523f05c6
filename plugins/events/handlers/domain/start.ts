import type { PendingEvent } from '../../bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { WorkflowStart } from '../../workflows/contract.ts';
import { KEY_FIELD } from './concurrency.ts';
import type { Flow } from './flow.ts';
import { THROTTLE_FIELD } from './gates.ts';
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
  /** The ids of the events that start the run together, beginning with this one. */
  batch?: readonly string[] | undefined;
  /** The span that caused the event, if any. */
  trace?: string | undefined;
}

/** Members that only handlers write. */
const RESERVED_FIELDS = ['replay', 'batch', KEY_FIELD, THROTTLE_FIELD];

/** `keys`: the values of the keys of the handler's options. */
export function toStartEvent(event: PendingEvent, keys: Flow['keys'] = {}): StartEvent {
  const { event_id, type, key, fields, generation, trusted, trace } = event;
  const scalars = Object.entries(fields ?? {}).filter(
    ([name, value]) => !RESERVED_FIELDS.includes(name) && typeof value !== 'object',
  );
  return {
    event_id,
    type,
    subject: key,
    fields: {
      ...Object.fromEntries(scalars),
      ...(keys.concurrency === undefined ? {} : { [KEY_FIELD]: keys.concurrency }),
      ...(keys.throttle === undefined ? {} : { [THROTTLE_FIELD]: keys.throttle }),
    },
    generation,
    trusted,
    trace: trace ?? undefined,
  };
}

/** Returns how an event, or a replay of it, starts a handler's run. It does not depend on who asks. */
export function toWorkflowStart(handler: string, event: StartEvent, replay?: string): WorkflowStart {
  const { event_id, type, subject, fields, generation, trusted, batch, trace = null } = event;
  return {
    run_id: handlerRunId(event_id, handler, replay),
    trigger: {
      ...fields,
      type,
      event: event_id,
      handler,
      ...(replay !== undefined && { replay }),
      ...(batch && { batch: batch.length }),
    },
    envelope: { type, $ref: `bus:${batch ? batchReference(batch) : event_id}` },
    subject: subject ?? undefined,
    generation: generation + 1,
    trusted,
    trace,
  };
}

/** The comma after the only event of a batch tells it from an event without a batch: its payload is a list too. */
const batchReference = (ids: readonly string[]): string => (ids.length === 1 ? `${ids[0]!},` : ids.join(','));
