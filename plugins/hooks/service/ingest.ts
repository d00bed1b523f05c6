import { hash } from 'node:crypto';
import {
  type Database,
  Errors,
  type HttpRequest,
  type Sealer,
  retryUnknownCommit,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import type { DeliveryRates } from '../../http/contract.ts';
import type { EmitResult, EventBus } from '../../bus/contract.ts';
import { type ConnectorManifests, type HookSection, placeText, type SignatureCheck } from '../../manifests/contract.ts';
import { turnForLarge } from '../../schema/contract.ts';
import { deliveredBody, deliveredQuery } from '../domain/delivered.ts';
import { isHookId } from '../domain/names.ts';
import { NOBODYS_DIGEST, sameToken } from '../domain/shared-token.ts';
import { HookErrors } from '../errors.ts';
import { type HookRow, hooks } from '../store/hooks.ts';
import { signingSection } from './signing.ts';
import { keyPlace } from './write-hook.ts';

export interface IngestParts {
  database: Database;
  sealer: Sealer;
  manifests: ConnectorManifests;
  check: SignatureCheck;
  bus: EventBus;
  rates: DeliveryRates;
}

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
  async deliver(hook_id: string, delivery: Delivery): Promise<EmitResult | { challenge: string }> {
    const { database, rates, bus } = this.#parts;
    // An impossible address is looked up like any other, so that timing reveals nothing.
    const row = await hooks.withId(database, isHookId(hook_id) ? hook_id : NOBODY);
    const proved =
      row === undefined || row.mode === 'token' ? byToken(row, delivery) : await this.#bySignature(row, delivery);
    const { hook, delivery_id } = proved;
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
    };
    // A lost answer to a commit is repeated only where the repeat finds the first event.
    return delivery_id === undefined ? bus.emit(event) : retryUnknownCommit(() => bus.emit(event));
  }

  async #bySignature(hook: HookRow, { headers, raw }: Delivery): Promise<Proved> {
    const { database, sealer, manifests, check } = this.#parts;
    const section = signingSection(manifests, hook);
    await sealer.prepare(hook.org_id);
    const key = sealer.open(keyPlace(hook), hook.signing_key!).toString();
    const verdict = check.verify(section, key, { headers, raw }, database.now());
    if (!verdict.ok) throw HookErrors.signatureInvalid(verdict.detail);
    const { delivery_id, event_type, challenge } = verdict;
    return { hook, section, delivery_id, type: event_type, challenge };
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
function byToken(hook: HookRow | undefined, { headers, query }: Delivery): Proved {
  const given = headers['x-svc-hook-secret'] || query.secret;
  if (!given)
    throw HookErrors.secretMissing('the delivery needs the secret of its hook in the header X-Svc-Hook-Secret');
  const same = sameToken(given, hook?.token_digest ?? NOBODYS_DIGEST);
  if (hook === undefined || !same) throw HookErrors.secretWrong('the secret does not belong to a hook at this address');
  return { hook };
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
