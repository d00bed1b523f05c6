import { hash } from 'node:crypto';
import {
  type Database,
  Errors,
  type HttpRequest,
  isServiceError,
  type Sealer,
  retryUnknownCommit,
} from '../../../../kernel/contracts/index.ts';
import { type DeliveryLog, USE_RECORD_INTERVAL_MS } from '../../deliveries/contract.ts';
import type { DeliveryRates } from '../../../platform/http/contract.ts';
import type { EmitResult, EventBus } from '../../../events/bus/contract.ts';
import {
  type ConnectorManifests,
  type HookSection,
  describeLocation,
  type SignatureCheck,
} from '../../manifests/contract.ts';
import { yieldBeforeLarge } from '../../../platform/schema/contract.ts';
import { readBody, readQuery } from '../domain/delivered.ts';
import { validUntil } from '../domain/old-secret.ts';
import { isHookId } from '../domain/names.ts';
import { UNUSED_DIGEST, isSameToken } from '../domain/shared-token.ts';
import { HookErrors } from '../errors.ts';
import { type HookRow, hooks, recordOldSecretUse } from '../store/hooks.ts';
import { isTrusted } from './trust.ts';
import { signingSection } from './signing.ts';
import { keySealContext } from './write-hook.ts';

export interface IngestDeps {
  database: Database;
  sealer: Sealer;
  manifests: ConnectorManifests;
  check: SignatureCheck;
  bus: EventBus;
  rates: DeliveryRates;
  deliveries: Pick<DeliveryLog, 'recordRejection'>;
}

/** The event, and until when the old secret counts that proved the delivery. */
type RecordedDelivery = EmitResult & { old_until: number | undefined };

type Delivery = Pick<HttpRequest, 'headers' | 'query' | 'raw' | 'ip'>;

/** The facts of a verified delivery. */
interface VerifiedDelivery {
  hook: HookRow;
  delivery_id?: string | undefined;
  /** The sender's name for the type. */
  type?: string | undefined;
  /** What the sender expects in return. Such a delivery is not an event. */
  challenge?: string | undefined;
  section?: HookSection;
  /** The secret from before a rotation proved it; until when that counts. */
  old_until?: number | undefined;
}

const UNKNOWN_HOOK_ID = `hook_${'0'.repeat(26)}`;
/** Longer delivery ids are stored as digests, because the bus keeps 200 characters. */
const MAX_ID_LENGTH = 120;

/** Accepts deliveries from outside: verifies each and records it once. */
export class Ingest {
  readonly #deps: IngestDeps;

  constructor(deps: IngestDeps) {
    this.#deps = deps;
  }

  /**
   * Records a delivery and returns its event, or returns the expected answer of a sender that only probes the address.
   * Throws `hook_secret_missing`, `hook_secret_wrong`, `signature_invalid`, `rate_limited`, `invalid_request`,
   * `event_type_invalid`, `payload_too_large`.
   */
  async deliver(hook_id: string, delivery: Delivery): Promise<RecordedDelivery | { challenge: string }> {
    const { database, rates } = this.#deps;
    // An impossible address is looked up like any other, so that timing reveals nothing.
    const row = await hooks.findById(database, isHookId(hook_id) ? hook_id : UNKNOWN_HOOK_ID);
    try {
      return await this.#recordDelivery(row, delivery);
    } catch (error) {
      if (isServiceError(error, 'hook_secret_wrong') || isServiceError(error, 'signature_invalid'))
        rates.countFailure(delivery.ip, isHookId(hook_id) ? hook_id : '');
      if (row !== undefined) this.#recordRejection(row, error);
      throw error;
    }
  }

  /** Owners of the hook find the rejection in its list of deliveries. Floods and server errors are not listed. */
  #recordRejection({ org_id, project_id, name }: HookRow, error: unknown): void {
    if (!isServiceError(error) || error.status >= 500 || error.status === 429) return;
    const { code, message: reason } = error;
    this.#deps.deliveries.recordRejection({ org_id, project_id, source: 'hook', name, code, reason });
  }

  async #recordDelivery(
    row: HookRow | undefined,
    delivery: Delivery,
  ): Promise<RecordedDelivery | { challenge: string }> {
    const { database, rates, bus } = this.#deps;
    const now = database.now();
    const verified =
      row === undefined || row.mode === 'token'
        ? verifyToken(row, delivery, now)
        : await this.#verifySignature(row, delivery, now);
    const { hook, delivery_id, old_until } = verified;
    rates.count(hook.hook_id);
    if (verified.challenge !== undefined) return { challenge: verified.challenge };
    await yieldBeforeLarge(delivery.raw.length);
    const body = await readBody(delivery.raw, delivery.headers['content-type']);
    await yieldBeforeLarge(delivery.raw.length);
    const event = {
      org_id: hook.org_id,
      project_id: hook.project_id,
      type: eventType(verified),
      key: null,
      payload: { body, query: readQuery(delivery.query) },
      source: 'hook' as const,
      source_name: hook.name,
      generation: 0,
      trusted: isTrusted(this.#deps.manifests, hook),
      dedup: delivery_id === undefined ? undefined : dedupKey(hook.hook_id, delivery_id),
      refusable: false,
      delivery: { sent_id: delivery_id, old_secret: old_until === undefined ? undefined : true },
    };
    // A lost answer to a commit is repeated only where the repeat finds the first event.
    const recorded = await (delivery_id === undefined ? bus.emit(event) : retryUnknownCommit(() => bus.emit(event)));
    if (old_until !== undefined) await recordOldSecretUse(database, hook, now, now - USE_RECORD_INTERVAL_MS);
    return { ...recorded, old_until };
  }

  async #verifySignature(hook: HookRow, { headers, raw }: Delivery, now: number): Promise<VerifiedDelivery> {
    const { sealer, manifests, check } = this.#deps;
    const section = signingSection(manifests, hook);
    await sealer.prepare(hook.org_id);
    const verify = (sealed: Buffer) =>
      check.verify(section, sealer.open(keySealContext(hook), sealed).toString(), { headers, raw }, now);
    const present = verify(hook.signing_key!);
    const until = present.ok || hook.old_key === null ? undefined : validUntil(hook, now);
    const result = until === undefined ? present : verify(hook.old_key!);
    // The sender sees the result for the current key.
    if (!result.ok) throw HookErrors.signatureInvalid(present.ok ? result.detail : present.detail);
    const { delivery_id, event_type, challenge } = result;
    return { hook, section, delivery_id, type: event_type, challenge, old_until: until };
  }
}

/**
 * Verifies the shared token. The header wins over the query. An unknown address answers like a wrong secret, after the
 * same work.
 */
function verifyToken(hook: HookRow | undefined, { headers, query }: Delivery, now: number): VerifiedDelivery {
  const token = headers['x-svc-hook-secret'] || query.secret;
  if (!token) throw HookErrors.secretMissing("the delivery needs its hook's secret in the X-Svc-Hook-Secret header");
  const same = isSameToken(token, hook?.token_digest ?? UNUSED_DIGEST);
  // Both comparisons always run, so that timing does not reveal whether there is an old secret.
  const is_old_token = isSameToken(token, hook?.old_digest ?? UNUSED_DIGEST);
  const until = hook === undefined || same || !is_old_token ? undefined : validUntil(hook, now);
  if (hook === undefined || (!same && until === undefined))
    throw HookErrors.secretWrong('no hook at this address has this secret');
  return { hook, old_until: until };
}

function eventType({ hook, type, section }: VerifiedDelivery): string {
  if (hook.event_type !== null) return hook.event_type;
  if (type !== undefined) return `${hook.name}.${type}`;
  const location = section?.event_type;
  const description = location === undefined ? 'no place' : describeLocation(location);
  throw Errors.invalidRequest(
    `the delivery has no event type; the connector ${hook.manifest} expects it in ${description}`,
  );
}

function dedupKey(hook_id: string, delivery_id: string): string {
  const id = delivery_id.length > MAX_ID_LENGTH ? `sha256:${hash('sha256', delivery_id, 'hex')}` : delivery_id;
  return `hook:${hook_id}:${id}`;
}
