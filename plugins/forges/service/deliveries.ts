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
import type { DeliveryRates } from '../../http/contract.ts';
import type { EmitResult, EventBus } from '../../bus/contract.ts';
import { type HookSection, placeText, type SignatureCheck } from '../../manifests/contract.ts';
import { turnForLarge } from '../../schema/contract.ts';
import { eventOf } from '../domain/event-of.ts';
import type { Forge } from '../domain/forge.ts';
import { readPayload, readSigned } from '../domain/read-delivery.ts';
import { ForgeErrors } from '../errors.ts';
import { findWebhook } from '../store/webhooks.ts';
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
}

type Webhook = NonNullable<Awaited<ReturnType<typeof findWebhook>>>;
type Signed = Pick<HttpRequest, 'headers' | 'raw'>;
/** A delivery as it arrives; nobody is signed in. */
export type Sent = Pick<HttpRequest, 'headers' | 'content'> & Pick<AuditSource, 'request_id' | 'ip'>;

/** A delivery as the forge names it. */
interface Named {
  event: string;
  delivery_id: string;
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
  async take(webhook_id: string, sent: Sent): Promise<EmitResult> {
    const webhook = ID.test(webhook_id) ? await findWebhook(this.#parts.database, webhook_id) : undefined;
    const forge = webhook && this.#parts.forges.find(webhook.forge);
    // Only whoever knows an address makes the service hold more than a delivery may have.
    const raw = await readSigned(sent.content, webhook !== undefined);
    const signed = { headers: sent.headers, raw };
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

  async #emit(webhook: Webhook, forge: Forge, { event, delivery_id }: Named, signed: Signed): Promise<EmitResult> {
    await turnForLarge(signed.raw.length);
    const payload = readPayload(signed.raw, signed.headers['content-type'], forge.section.form_field);
    await yieldToEventLoop();
    const { org_id, project_id, webhook_id, name, repo } = webhook;
    const made = eventOf(forge, repo, { event, payload });
    await yieldToEventLoop();
    return this.#parts.bus.emit({
      org_id,
      project_id,
      ...made,
      source: 'forge',
      source_name: name,
      generation: 0,
      dedup: `forge:${webhook_id}:${delivery_id}`,
      refusable: false,
    });
  }

  /** The forge shows its people only a status; those of the project find it in the audit. */
  async #noteRefused(webhook: Webhook, named: Named, sent: Sent, error: ServiceError): Promise<void> {
    const { org_id, project_id, name: subject } = webhook;
    const { request_id, ip } = sent;
    const detail = `${named.event} ${named.delivery_id}: ${error.message}`;
    const entry = { principal: null, request_id, ip, org_id, project_id, action: 'delivery.refuse', subject, detail };
    await this.#parts.database.transaction((tx) => this.#parts.audit.record(tx, entry));
  }

  /** Undefined when the signature is missing or wrong. The body is not read before. */
  async #verified(webhook: Webhook | undefined, forge: Forge | undefined, sent: Signed): Promise<Named | undefined> {
    const { signatures, sealer, clock } = this.#parts;
    if (webhook) await sealer.prepare(webhook.org_id);
    const key = webhook ? openSecret(sealer, webhook) : NO_KEY;
    const verdict = signatures.verify(forge?.hook ?? NOBODY, key, sent, clock.now());
    if (!verdict.ok) return undefined;
    return webhook && forge ? namedBy(verdict, forge.hook) : undefined;
  }
}

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
