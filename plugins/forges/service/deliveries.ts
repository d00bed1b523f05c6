import {
  type Clock,
  type Database,
  Errors,
  type HttpRequest,
  isServiceError,
  type Sealer,
  type ServiceError,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import { type DeliveryLog, USE_NOTED_MS } from '../../deliveries/contract.ts';
import type { DeliveryRates } from '../../http/contract.ts';
import type { EmitResult, EventBus } from '../../bus/contract.ts';
import { type HookSection, placeText, type SignatureCheck } from '../../manifests/contract.ts';
import { turnForLarge } from '../../schema/contract.ts';
import { eventOf } from '../domain/event-of.ts';
import type { Forge } from '../domain/forge.ts';
import { readPayload, readSigned } from '../domain/read-delivery.ts';
import { ForgeErrors } from '../errors.ts';
import { findWebhook, noteOldUse } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';
import { openSecret } from './sealed.ts';

export interface DeliveryParts {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  rates: DeliveryRates;
  signatures: SignatureCheck;
  forges: Forges;
  bus: Pick<EventBus, 'emit'>;
  audit: Pick<Audit, 'record'>;
  deliveries: Pick<DeliveryLog, 'refused'>;
}

type Webhook = NonNullable<Awaited<ReturnType<typeof findWebhook>>>;
type Signed = Pick<HttpRequest, 'headers' | 'raw'>;
/** A delivery as it arrives; nobody is signed in. */
export type Sent = Pick<HttpRequest, 'headers' | 'content'> & Pick<AuditSource, 'request_id' | 'ip'>;

/** A delivery as the forge names it. */
interface Named {
  event: string;
  delivery_id: string;
  /** The secret from before a rotation signed it; until when that counts. */
  old_until?: number | undefined;
}

const ID = /^whk_[0-9A-Z]{26}$/;
const DELIVERY_ID = /^[\x21-\x7e]{1,128}$/;

/** A delivery to an unknown address is checked against this key, so that its refusal takes the same time. */
const NOBODY: HookSection = {
  signature: { header: 'X-Hub-Signature-256', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
};
const NO_KEY = 'a key that signs nothing';

/** Accepts deliveries of forges: verifies them first, then reads them, and recognises repeats by delivery id. */
export class Deliveries {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Records the event of a delivery; for a repeated one answers the first event. Throws `signature_invalid` (also for
   * an unknown webhook), `rate_limited`, `invalid_request`, `unsupported_media_type`, `event_type_invalid`,
   * `delivery_foreign`, `payload_too_large`; the last one is recorded, because the forge would not send it in another way.
   */
  async take(webhook_id: string, sent: Sent): Promise<Taken> {
    const webhook = ID.test(webhook_id) ? await findWebhook(this.#parts.database, webhook_id) : undefined;
    const forge = webhook && this.#parts.forges.find(webhook.forge);
    // Only whoever knows an address makes the service hold more than a delivery may have.
    const raw = await readSigned(sent.content, webhook !== undefined);
    const signed = { headers: sent.headers, raw };
    try {
      return await this.#record(webhook, forge, signed, sent);
    } catch (error) {
      if (webhook) this.#listRefused(webhook, error);
      throw error;
    }
  }

  async #record(webhook: Webhook | undefined, forge: Forge | undefined, signed: Signed, sent: Sent): Promise<Taken> {
    const named = await this.#verified(webhook, forge, signed);
    if (!webhook || !forge || !named) throw forged();
    this.#parts.rates.take(webhook.webhook_id);
    try {
      return await this.#emit(webhook, forge, named, signed);
    } catch (error) {
      if (isServiceError(error, 'payload_too_large')) await this.#noteRefused(webhook, named, sent, error);
      throw error;
    }
  }

  /** Those who set the webhook find it in its list. A flood is no news. */
  #listRefused({ org_id, project_id, name }: Webhook, error: unknown): void {
    if (!isServiceError(error) || error.status >= 500 || error.status === 429) return;
    const { code, message: reason } = error;
    this.#parts.deliveries.refused({ org_id, project_id, source: 'forge', name, code, reason });
  }

  async #emit(
    webhook: Webhook,
    forge: Forge,
    { event, delivery_id, old_until }: Named,
    signed: Signed,
  ): Promise<Taken> {
    await turnForLarge(signed.raw.length);
    const payload = readPayload(signed.raw, signed.headers['content-type'], forge.section.form_field);
    await yieldToEventLoop();
    const { org_id, project_id, webhook_id, name, repo } = webhook;
    const made = eventOf(forge, repo, { event, payload });
    await yieldToEventLoop();
    const { bus, database } = this.#parts;
    const recorded = await bus.emit({
      org_id,
      project_id,
      ...made,
      source: 'forge',
      source_name: name,
      generation: 0,
      dedup: `forge:${webhook_id}:${delivery_id}`,
      refusable: false,
      delivery: { sent_id: delivery_id, ...(old_until === undefined ? {} : { old_secret: true }) },
    });
    const now = database.now();
    if (old_until !== undefined) await noteOldUse(database, webhook, now, now - USE_NOTED_MS);
    return { ...recorded, old_until };
  }

  /** The forge shows its people only a status; those of the project find it in the audit. */
  async #noteRefused(webhook: Webhook, named: Named, sent: Sent, error: ServiceError): Promise<void> {
    const { org_id, project_id, name: subject } = webhook;
    const { request_id, ip } = sent;
    const detail = `${named.event} ${named.delivery_id}: ${error.message}`;
    const entry = { principal: null, request_id, ip, org_id, project_id, action: 'delivery.refuse', subject, detail };
    await this.#parts.database.transaction((tx) => this.#parts.audit.record(tx, entry));
  }

  #oldSecret(webhook: Webhook): { secret: string; until: number } | undefined {
    const { old_secret, old_until } = webhook;
    if (old_secret === null || old_until === null || old_until <= this.#parts.database.now()) return undefined;
    return { secret: openSecret(this.#parts.sealer, webhook, old_secret), until: old_until };
  }

  /** Undefined when the signature is missing or wrong. The body is not read before. */
  async #verified(webhook: Webhook | undefined, forge: Forge | undefined, sent: Signed): Promise<Named | undefined> {
    const { signatures, sealer, clock } = this.#parts;
    if (webhook) await sealer.prepare(webhook.org_id);
    const verify = (key: string) => signatures.verify(forge?.hook ?? NOBODY, key, sent, clock.now());
    const present = verify(webhook ? openSecret(sealer, webhook) : NO_KEY);
    const old = webhook && !present.ok ? this.#oldSecret(webhook) : undefined;
    // Verified in any case, so that an unknown address takes as long.
    const before = present.ok ? present : verify(old?.secret ?? NO_KEY);
    const verdict = present.ok || old === undefined ? present : before;
    if (!verdict.ok || !webhook || !forge) return undefined;
    return { ...namedBy(verdict, forge.hook), old_until: old?.until };
  }
}

/** The event, and until when the old secret counts that signed the delivery. */
type Taken = EmitResult & { old_until: number | undefined };

/** The same answer for every refused delivery: strangers do not learn whether the webhook exists. */
const forged = () =>
  ForgeErrors.signatureInvalid('the delivery carries no signature that is valid for a webhook at this address');

function namedBy(
  verdict: { event_type: string | undefined; delivery_id: string | undefined },
  hook: HookSection,
): Named {
  const { event_type: event = '', delivery_id = '' } = verdict;
  if (event === '') throw Errors.invalidRequest(`the delivery has no event type (${placeOf(hook.event_type)})`);
  if (!DELIVERY_ID.test(delivery_id))
    throw Errors.invalidRequest(`the delivery has no valid id (${placeOf(hook.delivery_id)})`);
  return { event, delivery_id };
}

function placeOf(place: HookSection['event_type']): string {
  return place ? placeText(place) : 'the manifest does not say where it is';
}
