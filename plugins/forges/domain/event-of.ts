import { Errors } from '../../../kernel/contracts/index.ts';
import { EMIT_BYTES } from '../../bus/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { ForgeEvent } from '../contract.ts';
import { ForgeErrors } from '../errors.ts';
import type { Forge } from './forge.ts';
import { type JsonObject, textAt, valueAt } from './places.ts';
import { pathsOf } from './push-paths.ts';

/** A verified delivery of a webhook. */
export interface Delivery {
  /** The forge's name for it: `push`, `pull_request`. */
  event: string;
  payload: JsonObject;
}

/** Throws `delivery_foreign` for another repository than the webhook's, and `payload_too_large`. */
export function eventOf(forge: Forge, repo: string, delivery: Delivery): ForgeEvent {
  const { event, payload } = delivery;
  const { section } = forge;
  const named = textAt(payload, [section.repo]);
  if (named !== undefined && named.toLowerCase() !== repo.toLowerCase())
    throw ForgeErrors.deliveryForeign(`the webhook is for ${repo}, but the delivery is about ${named.slice(0, 200)}`);
  const about = { forge: forge.name, repo, ...present('sender', textAt(payload, section.sender)) };
  const trusted = forge.trusts(event, payload);
  if (event === section.push.event) return { ...pushOf(forge, about, payload), key: repo, trusted };
  refuseLarge(payload);
  const { sha = [], ref = [] } = section.fields ?? {};
  const fields = { ...about, ...present('sha', textAt(payload, sha)), ...present('ref', textAt(payload, ref)) };
  return { type: `forge.${event}`, key: repo, payload, fields, trusted };
}

const present = (name: string, value: Json | undefined): JsonObject => (value === undefined ? {} : { [name]: value });

const fits = (payload: Json): boolean => Buffer.byteLength(JSON.stringify(payload)) <= EMIT_BYTES;

function refuseLarge(payload: Json): void {
  if (!fits(payload)) throw Errors.payloadTooLarge(`the payload has more than ${EMIT_BYTES} bytes`);
}

/**
 * A push has the same fields at the top and in its payload; the payload also holds the forge's body as `body`. A large
 * push is never lost: its body is left out, and if necessary its paths too.
 */
function pushOf(forge: Forge, about: JsonObject, payload: JsonObject): Pick<ForgeEvent, 'type' | 'payload' | 'fields'> {
  const { ref, sha } = forge.section.push;
  const { paths, known } = pathsOf(forge, payload);
  const base = { ...about, ...present('ref', textAt(payload, [ref])), ...present('sha', textAt(payload, [sha])) };
  const fields = { ...base, paths, paths_known: known };
  const whole = { ...fields, body: payload };
  const type = 'push';
  if (fits(whole)) return { type, fields, payload: whole };
  if (fits(fields)) return { type, fields, payload: fields };
  const unknown = { ...base, paths: [], paths_known: false };
  return { type, fields: unknown, payload: unknown };
}

/** True when a recorded push removed its ref. Unknown when its body was too large to be stored. */
export function removedRef(forge: Forge, payload: Json): boolean {
  const body = valueAt(payload, '/body');
  return typeof body === 'object' && body !== null && !Array.isArray(body) && forge.removedRef(body);
}
