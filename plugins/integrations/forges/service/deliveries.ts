import {
  type Clock,
  type Database,
  Errors,
  type HttpRequest,
  isServiceError,
  type Sealer,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../../platform/audit/contract.ts';
import { type DeliveryLog, USE_RECORD_INTERVAL_MS } from '../../deliveries/contract.ts';
import type { DeliveryRates } from '../../../platform/http/contract.ts';
import type { EmitResult, EventBus } from '../../../events/bus/contract.ts';
import { type HookSection, describeLocation, type SignatureCheck } from '../../manifests/contract.ts';
import { yieldBeforeLarge } from '../../../platform/schema/contract.ts';
import { toForgeEvent } from '../domain/event-of.ts';
import type { Forge } from '../domain/forge.ts';
import { readPayload, readSigned } from '../domain/read-delivery.ts';
import { ForgeErrors } from '../errors.ts';
import { findWebhook, recordOldSecretUse } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';
import { openSecret } from './sealed.ts';

export interface DeliveryDeps {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  rates: DeliveryRates;
  signatures: SignatureCheck;
  forges: Forges;
  bus: Pick<EventBus, 'emit'>;
  audit: Pick<Audit, 'record'>;
  deliveries: Pick<DeliveryLog, 'recordRejection'>;
}

type Webhook = NonNullable<Awaited<ReturnType<typeof findWebhook>>>;
type Signed = Pick<HttpRequest, 'headers' | 'raw'>;
/** A delivery as it arrives, before it is authenticated. */
export type IncomingDelivery = Pick<HttpRequest, 'headers' | 'content'> & Pick<AuditSource, 'request_id' | 'ip'>;

/** A delivery as the forge names it. */
interface NamedDelivery {
  event: string;
  delivery_id: string;
  /** The secret from before a rotation signed it; until when that counts. */
  old_until?: number | undefined;
}

const ID = /^whk_[0-9A-Z]{26}$/;
const DELIVERY_ID = /^[\x21-\x7e]{1,128}$/;

/** Verifies deliveries to unknown addresses, so that their rejection takes the same time. */
const UNKNOWN_HOOK: HookSection = {
  signature: { header: 'X-Hub-Signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
};
const NO_KEY = 'a key that signs nothing';

/** Accepts deliveries of forges: verifies them first, then reads them, and recognises repeats by delivery id. */
export class Deliveries {
  readonly #deps: DeliveryDeps;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /**
   * Records the event of a delivery, and returns the first event for a repeated one. Throws `signature_invalid` (also
   * for an unknown webhook), `rate_limited`, `invalid_request`, `unsupported_media_type`, `event_type_invalid`,
   * `delivery_foreign`, `payload_too_large`. The last one is audited, because the forge would not send the delivery in
   * another way.
   */
  async accept(webhook_id: string, sent: IncomingDelivery): Promise<RecordedDelivery> {
    const webhook = ID.test(webhook_id) ? await findWebhook(this.#deps.database, webhook_id) : undefined;
    const forge = webhook && this.#deps.forges.find(webhook.forge);
    // Only senders that know an address, and have not failed often, can make the service buffer more than a delivery may have.
    const raw = await readSigned(sent.content, webhook !== undefined && !this.#deps.rates.hasManyFailures(sent.ip));
    const signed = { headers: sent.headers, raw };
    try {
      return await this.#verifyAndEmit(webhook, forge, signed, sent);
    } catch (error) {
      if (isServiceError(error, 'signature_invalid'))
        this.#deps.rates.countFailure(sent.ip, ID.test(webhook_id) ? webhook_id : '');
      if (webhook) this.#recordRejection(webhook, error);
      throw error;
    }
  }

  async #verifyAndEmit(
    webhook: Webhook | undefined,
    forge: Forge | undefined,
    signed: Signed,
    sent: IncomingDelivery,
  ): Promise<RecordedDelivery> {
    const named = await this.#verify(webhook, forge, signed);
    if (!webhook || !forge || !named) throw invalidSignature();
    this.#deps.rates.count(webhook.webhook_id);
    try {
      return await this.#emit(webhook, forge, named, signed);
    } catch (error) {
      if (isServiceError(error, 'payload_too_large')) await this.#auditRejection(webhook, named, sent, error);
      throw error;
    }
  }

  /** Owners of the webhook find the rejection in its list of deliveries. Floods and server errors are not listed. */
  #recordRejection({ org_id, project_id, name }: Webhook, error: unknown): void {
    if (!isServiceError(error) || error.status >= 500 || error.status === 429) return;
    const { code, message: reason } = error;
    this.#deps.deliveries.recordRejection({ org_id, project_id, source: 'forge', name, code, reason });
  }

  async #emit(
    webhook: Webhook,
    forge: Forge,
    { event, delivery_id, old_until }: NamedDelivery,
    signed: Signed,
  ): Promise<RecordedDelivery> {
    await yieldBeforeLarge(signed.raw.length);
    const payload = await readPayload(signed.raw, signed.headers['content-type'], forge.section.form_field);
    const { org_id, project_id, webhook_id, name, repo } = webhook;
    const event_data = await toForgeEvent(forge, repo, { event, payload });
    const { bus, database } = this.#deps;
    const recorded = await bus.emit({
      org_id,
      project_id,
      ...event_data,
      source: 'forge',
      source_name: name,
      generation: 0,
      dedup: `forge:${webhook_id}:${delivery_id}`,
      refusable: false,
      delivery: { sent_id: delivery_id, old_secret: old_until === undefined ? undefined : true },
    });
    const now = database.now();
    if (old_until !== undefined) await recordOldSecretUse(database, webhook, now, now - USE_RECORD_INTERVAL_MS);
    return { ...recorded, old_until };
  }

  /** The forge shows its people only a status; those of the project find it in the audit. */
  async #auditRejection(
    webhook: Webhook,
    named: NamedDelivery,
    sent: IncomingDelivery,
    error: ServiceError,
  ): Promise<void> {
    const { org_id, project_id, name: subject } = webhook;
    const { request_id, ip } = sent;
    const detail = `${named.event} ${named.delivery_id}: ${error.message}`;
    const entry = { principal: null, request_id, ip, org_id, project_id, action: 'delivery.refuse', subject, detail };
    await this.#deps.database.transaction((tx) => this.#deps.audit.record(tx, entry));
  }

  #oldSecret(webhook: Webhook): { secret: string; until: number } | undefined {
    const { old_secret, old_until } = webhook;
    if (old_secret === null || old_until === null || old_until <= this.#deps.database.now()) return undefined;
    return { secret: openSecret(this.#deps.sealer, webhook, old_secret), until: old_until };
  }

  /** Returns undefined when the signature is missing or wrong. The body is not parsed before. */
  async #verify(
    webhook: Webhook | undefined,
    forge: Forge | undefined,
    sent: Signed,
  ): Promise<NamedDelivery | undefined> {
    const { signatures, sealer, clock } = this.#deps;
    if (webhook) await sealer.prepare(webhook.org_id);
    const verify = (key: string) => signatures.verify(forge?.hook ?? UNKNOWN_HOOK, key, sent, clock.now());
    const present = verify(webhook ? openSecret(sealer, webhook) : NO_KEY);
    const old_secret = webhook && !present.ok ? this.#oldSecret(webhook) : undefined;
    // Both keys are always verified, so that an unknown address takes as long.
    if (!present.ok) await yieldBeforeLarge(sent.raw.length);
    const before = present.ok ? present : verify(old_secret?.secret ?? NO_KEY);
    const result = present.ok || old_secret === undefined ? present : before;
    if (!result.ok || !webhook || !forge) return undefined;
    return { ...readNames(result, forge.hook), old_until: old_secret?.until };
  }
}

/** The event, and until when the old secret counts that signed the delivery. */
type RecordedDelivery = EmitResult & { old_until: number | undefined };

/** The same error for every rejected delivery, so that strangers cannot tell whether the webhook exists. */
const invalidSignature = () =>
  ForgeErrors.signatureInvalid('the delivery has no signature that is valid for a webhook at this address');

function readNames(
  result: { event_type: string | undefined; delivery_id: string | undefined },
  hook: HookSection,
): NamedDelivery {
  const { event_type: event = '', delivery_id = '' } = result;
  if (event === '') throw Errors.invalidRequest(`the delivery has no event type (${formatLocation(hook.event_type)})`);
  if (!DELIVERY_ID.test(delivery_id))
    throw Errors.invalidRequest(`the delivery has no valid ID (${formatLocation(hook.delivery_id)})`);
  return { event, delivery_id };
}

function formatLocation(location: HookSection['event_type']): string {
  return location ? describeLocation(location) : 'the manifest does not say where it is';
}
