import { hash } from 'node:crypto';
import {
  type Database,
  type DeliveryRates,
  Errors,
  type HttpRequest,
  type Sealer,
  settled,
  turn,
} from '../../../kernel/contracts/index.ts';
import type { EmitResult, EventBus } from '../../bus/contract.ts';
import type { ConnectorManifests, HookSection, SignatureCheck } from '../../manifests/contract.ts';
import { deliveredBody, deliveredQuery } from '../domain/delivered.ts';
import { isHookId } from '../domain/names.ts';
import { NOBODYS_DIGEST, sameToken } from '../domain/shared-token.ts';
import { HookErrors } from '../errors.ts';
import { type HookRow, hookAt } from '../store/hook-table.ts';
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

/** What is known of a delivery once it is proved. */
interface Proved {
  hook: HookRow;
  delivery_id?: string | undefined;
  /** As the far end calls it. */
  type?: string | undefined;
  section?: HookSection;
}

const NOBODY = `hook_${'0'.repeat(26)}`;
/** Beyond it a delivery id is known by its digest: the bus keeps 200 characters. */
const LONGEST_ID = 120;

/** Takes deliveries from outside: proves them, then puts each on the bus once. */
export class Ingest {
  readonly #parts: IngestParts;

  constructor(parts: IngestParts) {
    this.#parts = parts;
  }

  /**
   * Throws `hook_secret_missing`, `hook_secret_wrong`, `signature_invalid`, `rate_limited`, `invalid_request`,
   * `event_type_invalid`, `payload_too_large`.
   */
  async deliver(hook_id: string, delivery: Delivery): Promise<EmitResult> {
    const { database, rates, bus } = this.#parts;
    // An address that cannot be is looked up like any other, so that the time tells nothing.
    const row = await hookAt(database, isHookId(hook_id) ? hook_id : NOBODY);
    const proved =
      row === undefined || row.mode === 'token' ? byToken(row, delivery) : await this.#bySignature(row, delivery);
    const { hook, delivery_id } = proved;
    rates.take(hook.hook_id);
    const body = deliveredBody(delivery.raw, delivery.headers['content-type']);
    await turn();
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
    // A lost answer to the commit is asked for again only where a second time finds the first.
    return delivery_id === undefined ? bus.emit(event) : settled(() => bus.emit(event));
  }

  async #bySignature(hook: HookRow, { headers, raw }: Delivery): Promise<Proved> {
    const { database, sealer, manifests, check } = this.#parts;
    const section = signingSection(manifests, hook);
    await sealer.prepare(hook.org_id);
    const key = sealer.open(keyPlace(hook), hook.signing_key!).toString();
    const verdict = check.verify(section, key, { headers, raw }, database.now());
    if (!verdict.ok) throw HookErrors.signatureInvalid(verdict.detail);
    return { hook, section, delivery_id: verdict.delivery_id, type: verdict.event_type };
  }

  /**
   * Whoever holds a secret was chosen by the project, and answers for what it sends. A forge signs what strangers
   * write, so that without its rules nothing of it is trusted.
   */
  #trusts({ manifest }: HookRow): boolean {
    return manifest === null || this.#parts.manifests.find(manifest)?.forge === undefined;
  }
}

/** The header wins over the query. An address without a hook answers as a wrong secret does, after the same work. */
function byToken(hook: HookRow | undefined, { headers, query }: Delivery): Proved {
  const given = headers['x-svc-hook-secret'] || query.secret;
  if (!given)
    throw HookErrors.secretMissing('the delivery needs the secret of its hook in the header X-Svc-Hook-Secret');
  const same = sameToken(given, hook?.token_digest ?? NOBODYS_DIGEST);
  if (hook === undefined || !same) throw HookErrors.secretWrong('the secret is not that of a hook at this address');
  return { hook };
}

function typeOf({ hook, type, section }: Proved): string {
  if (hook.event_type !== null) return hook.event_type;
  if (type !== undefined) return `${hook.name}.${type}`;
  const place = section?.event_type;
  const where = place && 'header' in place ? `the header ${place.header}` : `the body at ${place?.pointer ?? '/'}`;
  throw Errors.invalidRequest(`the delivery says no type: ${where} is where the connector ${hook.manifest} has it`);
}

function dedupOf(hook_id: string, delivery_id: string): string {
  const id = delivery_id.length > LONGEST_ID ? `sha256:${hash('sha256', delivery_id, 'hex')}` : delivery_id;
  return `hook:${hook_id}:${id}`;
}
