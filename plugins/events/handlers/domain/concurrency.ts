import { createHash } from 'node:crypto';
import type { Json } from '../../../engine/runs/contract.ts';
import type { Concurrency } from '../contract/flow-options.ts';
import { forKey } from './keys.ts';

/** The member of a trigger that holds the value of the key, or '' without one. */
export const KEY_FIELD = 'concurrency_key';
/** The limit of deliveries that waited when the handler's own limit was removed. */
export const NO_LIMIT = 1_000_000;

/** Identifies the runs that are limited together. Undefined: the handler had no limit when the event came. */
export function admissionId(handler: string, fields: { readonly [name: string]: Json }): string | undefined {
  const key = fields[KEY_FIELD];
  if (typeof key !== 'string') return undefined;
  return createHash('sha256').update(`${handler}\0${key}`).digest('hex').slice(0, 40);
}

/** Explains what a delivery waits for. */
export const blockedReason = ({ limit }: Pick<Concurrency, 'limit'>, key: string): string =>
  `concurrency: the handler may have ${limit} ${limit === 1 ? 'run' : 'runs'} in flight${forKey(key)}`;
