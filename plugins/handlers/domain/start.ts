import type { PendingEvent } from '../../bus/contract.ts';
import type { Json, SubmitRun, Trigger } from '../../runs/contract.ts';
import type { Definition } from './document.ts';
import { documentOf } from './document.ts';
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
}

export function startEventOf({ event_id, type, key, fields, generation, trusted }: PendingEvent): StartEvent {
  const single = Object.entries(fields ?? {}).filter(([, value]) => typeof value !== 'object');
  return { event_id, type, subject: key, fields: Object.fromEntries(single), generation, trusted };
}

/** A handler as it is registered, with whose it is. */
export interface HandlerPlace {
  org_id: string;
  project_id: string;
  org: string;
  project: string;
  name: string;
}

/** What a handler's document is submitted as; without an event, for its checks alone. */
export function submitOf(
  place: HandlerPlace,
  definition: Definition,
  event?: StartEvent,
): SubmitRun & { run_id?: string } {
  const { org_id, project_id, org, project, name } = place;
  const { interpreter, env, tags, requires, credentials, cancel_on } = definition;
  const given = { interpreter, env, tags, requires, credentials, cancel_on };
  return {
    ...documentOf(definition),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    org_id,
    project_id,
    org,
    project,
    triggered: true,
    ...(event === undefined ? { trigger: { type: 'manual' }, trusted: true, generation: 0 } : startOf(name, event)),
  };
}

function startOf(name: string, event: StartEvent) {
  const { event_id, type, subject, fields, generation, trusted } = event;
  const trigger: Trigger = { ...fields, type, event: event_id, handler: name };
  return {
    run_id: handlerRunId(event_id, name),
    trigger,
    envelope: { type, $ref: `bus:${event_id}` },
    ...(subject === null ? {} : { subject }),
    generation: generation + 1,
    trusted,
  };
}
