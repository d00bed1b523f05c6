import { hash } from 'node:crypto';
import {
  type Database,
  Errors,
  type HttpRequest,
  isServiceError,
  type Sealer,
  retryUnknownCommit,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import { type DeliveryLog, USE_NOTED_MS } from '../../deliveries/contract.ts';
import type { DeliveryRates } from '../../http/contract.ts';
import type { EmitResult, EventBus } from '../../bus/contract.ts';
import { type ConnectorManifests, type HookSection, placeText, type SignatureCheck } from '../../manifests/contract.ts';
import { turnForLarge } from '../../schema/contract.ts';
import { deliveredBody, deliveredQuery } from '../domain/delivered.ts';
import { countsUntil } from '../domain/old-secret.ts';
import { isHookId } from '../domain/names.ts';
import { NOBODYS_DIGEST, sameToken } from '../domain/shared-token.ts';
import { HookErrors } from '../errors.ts';
import { type HookRow, hooks, noteOldUse } from '../store/hooks.ts';
import { signingSection } from './signing.ts';
import { keyPlace } from './write-hook.ts';

export interface IngestParts {
  database: Database;
  sealer: Sealer;
  manifests: ConnectorManifests;
  check: SignatureCheck;
  bus: EventBus;
  rates: DeliveryRates;
  deliveries: Pick<DeliveryLog, 'refused'>;
}

/** The event, and until when the old secret counts that proved the delivery. */
type Delivered = EmitResult & { old_until: number | undefined };

type Delivery = Pick<HttpRequest, 'headers' | 'query' | 'raw'>;

/** The facts of a verified delivery. */
interface Proved {
  hook: HookRow;
  delivery_id?: string | undefined;
  /** The sender's name for it. */
  type?: string | undefined;
  /** What the sender wants to hear; such a delivery is no event. */
  challenge?: string | undefined;
  section?: HookSection;
  /** The secret from before a rotation proved it; until when that counts. */
  old_until?: number | undefined;
}

const NOBODY = `hook_${'0'.repeat(26)}`;
/** A longer delivery id is stored as its digest: the bus keeps 200 characters. */
const MAX_ID_LENGTH = 120;

/** Accepts deliveries from outside: verifies each and records it once. */
export class Ingest {
  readonly #parts: IngestParts;

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  /**
   * Answers the event, or what a sender that only asks whether somebody is there wants to hear. Throws `hook_secret_missing`, `hook_secret_wrong`, `signature_invalid`, `rate_limited`, `invalid_request`,
   * `event_type_invalid`, `payload_too_large`.
   */
  async deliver(hook_id: string, delivery: Delivery): Promise<Delivered | { challenge: string }> {
    const { database } = this.#parts;
    // An impossible address is looked up like any other, so that timing reveals nothing.
    const row = await hooks.withId(database, isHookId(hook_id) ? hook_id : NOBODY);
    try {
      return await this.#take(row, delivery);
    } catch (error) {
      if (row !== undefined) this.#noteRefused(row, error);
      throw error;
    }
  }

  /** Those who set the hook find it in its list. A flood is no news. */
  #noteRefused({ org_id, project_id, name }: HookRow, error: unknown): void {
    if (!isServiceError(error) || error.status >= 500 || error.status === 429) return;
    const { code, message: reason } = error;
    this.#parts.deliveries.refused({ org_id, project_id, source: 'hook', name, code, reason });
  }

  async #take(row: HookRow | undefined, delivery: Delivery): Promise<Delivered | { challenge: string }> {
    const { database, rates, bus } = this.#parts;
    const now = database.now();
    const proved =
      row === undefined || row.mode === 'token'
        ? byToken(row, delivery, now)
        : await this.#bySignature(row, delivery, now);
    const { hook, delivery_id, old_until } = proved;
    rates.take(hook.hook_id);
    if (proved.challenge !== undefined) return { challenge: proved.challenge };
    await turnForLarge(delivery.raw.length);
    const body = deliveredBody(delivery.raw, delivery.headers['content-type']);
    await yieldToEventLoop();
    const event = {
      org_id: hook.org_id,
      project_id: hook.project_id,
      type: typeOf(proved),
      key: null,
      payload: { body, query: deliveredQuery(delivery.query) },
      source: 'hook' as const,
      source_name: hook.name,
      generation: 0,
      trusted: this.#trusts(hook),
      ...(delivery_id === undefined ? {} : { dedup: dedupOf(hook.hook_id, delivery_id) }),
      refusable: false,
      delivery: {
        ...(delivery_id === undefined ? {} : { sent_id: delivery_id }),
        ...(old_until === undefined ? {} : { old_secret: true }),
      },
    };
    // A lost answer to a commit is repeated only where the repeat finds the first event.
    const recorded = await (delivery_id === undefined ? bus.emit(event) : retryUnknownCommit(() => bus.emit(event)));
    if (old_until !== undefined) await noteOldUse(database, hook, now, now - USE_NOTED_MS);
    return { ...recorded, old_until };
  }

  async #bySignature(hook: HookRow, { headers, raw }: Delivery, now: number): Promise<Proved> {
    const { sealer, manifests, check } = this.#parts;
    const section = signingSection(manifests, hook);
    await sealer.prepare(hook.org_id);
    const verify = (sealed: Buffer) =>
      check.verify(section, sealer.open(keyPlace(hook), sealed).toString(), { headers, raw }, now);
    const present = verify(hook.signing_key!);
    const until = present.ok || hook.old_key === null ? undefined : countsUntil(hook, now);
    const verdict = until === undefined ? present : verify(hook.old_key!);
    // What the present key says is what the sender should hear.
    if (!verdict.ok) throw HookErrors.signatureInvalid(present.ok ? verdict.detail : present.detail);
    const { delivery_id, event_type, challenge } = verdict;
    return { hook, section, delivery_id, type: event_type, challenge, old_until: until };
  }

  /**
   * The project chose who holds the secret, so such deliveries are trusted. A forge also signs what strangers write, so
   * without rules nothing of it is trusted, nor of a sender whose manifest says so.
   */
  #trusts({ manifest }: HookRow): boolean {
    if (manifest === null) return true;
    const { forge, hook } = this.#parts.manifests.find(manifest) ?? {};
    return forge === undefined && hook?.trusted !== false;
  }
}

/** The header wins over the query. An unknown address answers like a wrong secret, after the same work. */
function byToken(hook: HookRow | undefined, { headers, query }: Delivery, now: number): Proved {
  const given = headers['x-svc-hook-secret'] || query.secret;
  if (!given)
    throw HookErrors.secretMissing('the delivery needs the secret of its hook in the header X-Svc-Hook-Secret');
  const same = sameToken(given, hook?.token_digest ?? NOBODYS_DIGEST);
  // Compared in any case, so that the work tells nobody whether there is an old one.
  const old = sameToken(given, hook?.old_digest ?? NOBODYS_DIGEST);
  const until = hook === undefined || same || !old ? undefined : countsUntil(hook, now);
  if (hook === undefined || (!same && until === undefined))
    throw HookErrors.secretWrong('the secret does not belong to a hook at this address');
  return { hook, old_until: until };
}

function typeOf({ hook, type, section }: Proved): string {
  if (hook.event_type !== null) return hook.event_type;
  if (type !== undefined) return `${hook.name}.${type}`;
  const place = section?.event_type;
  const where = place === undefined ? 'no place' : placeText(place);
  throw Errors.invalidRequest(`the delivery has no event type; the connector ${hook.manifest} expects it in ${where}`);
}

function dedupOf(hook_id: string, delivery_id: string): string {
  const id = delivery_id.length > MAX_ID_LENGTH ? `sha256:${hash('sha256', delivery_id, 'hex')}` : delivery_id;
  return `hook:${hook_id}:${id}`;
}
