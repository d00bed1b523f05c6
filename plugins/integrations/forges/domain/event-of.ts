import { Errors } from '../../../../kernel/contracts/index.ts';
import { EMIT_BYTES } from '../../../events/bus/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { writeJsonYielding, yieldBeforePiece } from '../../../platform/schema/contract.ts';
import type { ForgeEvent } from '../contract.ts';
import { ForgeErrors } from '../errors.ts';
import type { Forge } from './forge.ts';
import { type JsonObject, textAt, valueAt } from './json-pointer.ts';
import { listPaths } from './push-paths.ts';

/** A verified delivery of a webhook. */
export interface Delivery {
  /** The forge's name for the event: `push`, `pull_request`. */
  event: string;
  payload: JsonObject;
}

/** Throws `delivery_foreign` for another repository than the webhook's, and `payload_too_large`. */
export async function toForgeEvent(forge: Forge, repo: string, delivery: Delivery): Promise<ForgeEvent> {
  const { event, payload } = delivery;
  const { section } = forge;
  const named = textAt(payload, [section.repo]);
  if (named !== undefined && named.toLowerCase() !== repo.toLowerCase())
    throw ForgeErrors.deliveryForeign(`the webhook is for ${repo}, but the delivery is for ${named.slice(0, 200)}`);
  const common = { forge: forge.name, repo, ...optionalMember('sender', textAt(payload, section.sender)) };
  const trusted = forge.isTrusted(event, payload);
  await yieldBeforePiece();
  if (event === section.push.event) return { ...(await toPush(forge, common, payload)), key: repo, trusted };
  await assertSize(payload);
  const { sha = [], ref = [] } = section.fields ?? {};
  const fields = {
    ...common,
    ...optionalMember('sha', textAt(payload, sha)),
    ...optionalMember('ref', textAt(payload, ref)),
  };
  return { type: `forge.${event}`, key: repo, payload, fields, trusted };
}

const optionalMember = (name: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value };

async function isWithinLimit(payload: Json): Promise<boolean> {
  return 'json' in (await writeJsonYielding(payload, { max_bytes: EMIT_BYTES }));
}

async function assertSize(payload: Json): Promise<void> {
  if (!(await isWithinLimit(payload))) throw Errors.payloadTooLarge(`the payload has more than ${EMIT_BYTES} bytes`);
}

/**
 * Converts a push. Its payload has the same fields as its top level, and the forge's body as `body`. A large push is
 * never lost: it omits the body, and if necessary the paths too.
 */
async function toPush(
  forge: Forge,
  common: JsonObject,
  payload: JsonObject,
): Promise<Pick<ForgeEvent, 'type' | 'payload' | 'fields'>> {
  const { ref, sha } = forge.section.push;
  const { paths, is_complete } = await listPaths(forge, payload);
  await yieldBeforePiece();
  const base = {
    ...common,
    ...optionalMember('ref', textAt(payload, [ref])),
    ...optionalMember('sha', textAt(payload, [sha])),
  };
  const fields = { ...base, paths, paths_known: is_complete };
  const with_body = { ...fields, body: payload };
  const type = 'push';
  if (await isWithinLimit(with_body)) return { type, fields, payload: with_body };
  if (await isWithinLimit(fields)) return { type, fields, payload: fields };
  const unknown = { ...base, paths: [], paths_known: false };
  return { type, fields: unknown, payload: unknown };
}

/** Returns true when a recorded push removed its ref. It is false when the body was too large to be stored. */
export function removedRef(forge: Forge, payload: Json): boolean {
  const body = valueAt(payload, '/body');
  return typeof body === 'object' && body !== null && !Array.isArray(body) && forge.isRefRemoved(body);
}
