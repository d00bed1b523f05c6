import { createHash } from 'node:crypto';
import { parseDuration } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { Batch, Debounce, Rate } from '../contract/flow-options.ts';
import type { Flow } from './flow.ts';
import { forKey } from './keys.ts';

/** What a gate is for. */
export type GateKind = 'throttle' | 'rate_limit' | 'debounce' | 'batch';

/** What `blocked` is while a delivery waits for a place of its handler's concurrency. */
export const BLOCKED = 1;
/** What `blocked` is while a delivery waits at a gate for its throttle. */
export const THROTTLED = 2;
/** What `blocked` is while a delivery may be merged with later ones. */
export const COLLECTED = 3;
/** What `blocked` is for a delivery of a batch other than the first, which starts the run. */
export const MEMBER = 4;

/** The payloads that one run gets together. A larger event is a batch of its own. */
export const MAX_BATCH_BYTES = 1024 * 1024;

/** The member of a trigger that holds the value of the throttle's key, or '' without one. */
export const THROTTLE_FIELD = 'throttle_key';

/** Identifies the deliveries that an option counts together. */
export const gateId = (kind: GateKind, handler: string, key: string, variant = ''): string =>
  createHash('sha256').update(`${kind}\0${handler}\0${key}\0${variant}`).digest('hex').slice(0, 40);

/** Identifies the deliveries that a handler throttles together. Undefined: it had no throttle when the event came. */
export function throttleGate(handler: string, fields: { readonly [name: string]: Json }): string | undefined {
  const key = fields[THROTTLE_FIELD];
  return typeof key === 'string' ? gateId('throttle', handler, key) : undefined;
}

/** Untrusted events are counted apart, so that outsiders cannot use up what trusted events may. */
export const rateGate = (handler: string, key: string, trusted: boolean): string =>
  gateId('rate_limit', handler, key, trusted ? '' : 'untrusted');

/** Untrusted events are merged apart, so that an outsider's event never replaces a trusted one. */
export function mergeGate(handler: string, { options, keys }: Flow, trusted: boolean): string | undefined {
  const kind = options.debounce ? 'debounce' : 'batch';
  if (options[kind] === undefined) return undefined;
  return gateId(kind, handler, keys[kind]!, trusted ? '' : 'untrusted');
}

/** Returns when a burst ends: after a period without an event, but not later than its maximum. */
export function debounceDue({ period, max }: Debounce, opened_at: number, now: number): number {
  const due = now + parseDuration(period);
  return max === undefined ? due : Math.min(due, opened_at + parseDuration(max));
}

/** The length of a period in milliseconds. */
export const periodOf = ({ period }: Pick<Rate, 'period'>): number => parseDuration(period);

export const throttleReason = ({ limit, period }: Rate, key: string): string =>
  `throttle: the handler starts at most ${limit} ${limit === 1 ? 'run' : 'runs'} in ${period}${forKey(key)}`;

export const dropReason = ({ limit, period }: Rate, key: string): string =>
  `rate_limit: the handler takes at most ${limit} ${limit === 1 ? 'event' : 'events'} in ${period}${forKey(key)}, so this one is dropped`;

export const debounceReason = ({ period, max }: Debounce, key: string): string =>
  `debounce: the run starts when no event${forKey(key)} has arrived for ${period}${max === undefined ? '' : `, at the latest ${max} after the first`}`;

export const batchReason = ({ size, timeout }: Batch, key: string): string =>
  `batch: the run starts with ${size} events${forKey(key)}, or ${timeout} after the first`;

export const mergedReason = (event_id: string): string =>
  `debounce: the event ${event_id} arrived later and replaces it`;
