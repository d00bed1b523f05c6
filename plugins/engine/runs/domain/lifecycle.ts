import type { CoordinatorRecord, Json, RunTransition, Trigger } from '../contract.ts';
import { tagMap } from './tag-map.ts';
import { tail } from './tail.ts';

export type Ending =
  | { status: 'succeeded'; output: Json; record?: CoordinatorRecord | undefined }
  | { status: 'failed'; code: string; message: string }
  | { status: 'cancelled'; reason: string };

/** The fields of a trigger that lifecycle payloads carry. */
const TRIGGER_FIELDS = ['type', 'sha', 'ref', 'repo', 'sender', 'forge'] as const;

export interface Announced {
  run_id: string;
  workflow: string;
  tags: string[];
  trigger: Trigger;
}

export const transitionType = (status: 'running' | Ending['status']): RunTransition['type'] =>
  status === 'running' ? 'run.started' : `run.${status}`;

/** The "Run lifecycle payload" of the specification. */
export function lifecyclePayload(
  run: Announced,
  ending: Ending | undefined,
  run_url: string | undefined,
): { [key: string]: Json } {
  const payload: { [key: string]: Json } = {
    run_id: run.run_id,
    status: ending?.status ?? 'running',
    workflow: run.workflow,
    tags: run.tags,
    tag: tagMap(run.tags),
    trigger: lifecycleTrigger(run.trigger),
  };
  if (ending?.status === 'succeeded') payload.output = ending.output;
  if (ending?.status === 'failed') payload.error = tail(ending.message);
  if (ending?.status === 'cancelled') payload.reason = tail(ending.reason);
  if (run_url !== undefined) payload.run_url = run_url;
  return payload;
}

function lifecycleTrigger(trigger: Trigger): Json {
  const carried: { [key: string]: Json } = {};
  for (const field of TRIGGER_FIELDS) {
    const value = trigger[field];
    if (value !== undefined && value !== null) carried[field] = value;
  }
  return carried;
}
