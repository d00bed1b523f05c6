import {
  type Database,
  Errors,
  type HttpAddress,
  type Ids,
  isServiceError,
  type Page,
  retryUnknownCommit,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { overlapUntil } from '../../deliveries/contract.ts';
import type { AuditedWrites, NamedCall, ProjectScope, ResourceService } from '../../resources/contract.ts';
import type { StoredWorkflows } from '../../workflows/contract.ts';
import type { Forge } from '../domain/forge.ts';
import { checkApiBase, checkRepo, WEBHOOK } from '../domain/webhook-rules.ts';
import type { PutWebhookBody } from '../generated/put-webhook.ts';
import type { RotateWebhook } from '../generated/rotate-webhook.ts';
import type { WebhookView } from '../generated/webhook.ts';
import { replaceSecrets, type WebhookEntry, type WebhookRow, webhooks } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';
import type { FarRepo, Registration } from './registration.ts';
import { openSecret, sealSecret, workflowPlace } from './sealed.ts';
import { viewOf } from './view.ts';
import { workflowOf } from './workflow.ts';

export interface WebhookParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  workflows: StoredWorkflows;
  forges: Forges;
  registration: Pick<Registration, 'register' | 'unregister'>;
  address: HttpAddress;
}

const SECRET_BYTES = 32;
const ATTEMPTS = 100;

/** A webhook about to be written. */
interface Draft {
  row: WebhookRow;
  /** Only of a new secret: it is shown once. */
  secret: string | undefined;
  /** True when the forge must be told. */
  register: boolean;
}

/** Sets, shows and removes webhooks. Each change and its audit row are one transaction. */
export class Webhooks implements ResourceService<PutWebhookBody> {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /**
   * Throws `invalid_request`, the errors of a submit, and those of `Registration.register`. Then nothing is left
   * behind.
   */
  async set(call: NamedCall, body: PutWebhookBody): Promise<{ made: boolean; view: WebhookView }> {
    await this.#parts.sealer.prepare(call.scope.org_id);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#set(call, body);
      } catch (error) {
        // The loser of a race reads the present row and tries again.
        if (attempt === ATTEMPTS || !isServiceError(error, 'unavailable')) throw error;
      }
    }
  }

  async #set(call: NamedCall, body: PutWebhookBody): Promise<{ made: boolean; view: WebhookView }> {
    const present = await webhooks.find(this.#parts.database, call.scope, call.name);
    const draft = await this.#draft(call, body, present);
    const warnings = present ? await this.#replace(call, present, draft) : await this.#make(call, draft);
    const { row, secret } = draft;
    const told = warnings.length === 0 ? undefined : warnings;
    return { made: present === undefined, view: { ...this.#opened(row), secret, warnings: told } };
  }

  /**
   * A new secret; the one before counts for the time of `overlap`, otherwise no more. With `end_overlap` nothing is new, and
   * the old one ends. The forge is told first where it is registered. Throws `not_found`, `invalid_request` and those of
   * `Registration.register`.
   */
  async rotate(call: NamedCall, body: RotateWebhook): Promise<WebhookView> {
    const { database, ids, sealer, writes } = this.#parts;
    await sealer.prepare(call.scope.org_id);
    const present = await webhooks.get(database, call.scope, call.name);
    const until = body.overlap === undefined ? null : overlapUntil(body.overlap, database.now());
    if (body.end_overlap && until !== null) throw notWithEnd();
    const secret = body.end_overlap ? undefined : ids.bytes(SECRET_BYTES).toString('base64url');
    const row: WebhookRow = {
      ...present,
      ...{ secret: secret === undefined ? present.secret : sealSecret(sealer, present, secret), old_until: until },
      ...{ old_secret: until === null ? null : present.secret, old_used_at: null },
    };
    if (secret !== undefined && row.auto_register === 1) row.hook_id = await this.#register(row);
    await writes.write(
      call,
      'webhook.rotate',
      async (tx) => (await replaceSecrets(tx, present, row)) || refuseChanged(row),
      () => (body.end_overlap ? 'overlap ended' : until === null ? '' : `overlap ${body.overlap}`),
    );
    return { ...this.#opened(row), secret };
  }

  /** Throws `not_found`. */
  find({ scope, name }: Pick<NamedCall, 'scope' | 'name'>): Promise<WebhookRow> {
    return webhooks.get(this.#parts.database, scope, name);
  }

  /** Answers the errors of the forge. Throws `not_found`. */
  async remove(call: NamedCall): Promise<{ warnings: string[] } | undefined> {
    const row = await webhooks.get(this.#parts.database, call.scope, call.name);
    await this.#remove(call, row);
    const warnings = await this.#leave(row);
    return warnings.length === 0 ? undefined : { warnings };
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedCall): Promise<WebhookView> {
    const row = await webhooks.get(this.#parts.database, scope, name);
    await this.#parts.sealer.prepare(scope.org_id);
    return this.#opened(row);
  }

  #opened(row: WebhookRow): WebhookView {
    const workflow = row.workflow === null ? undefined : this.#parts.workflows.open(workflowPlace(row), row.workflow);
    return viewOf(row, this.#urlOf(row), this.#parts.database.now(), workflow);
  }

  list(scope: ProjectScope, page: Page) {
    return webhooks.page(this.#parts.database, scope, page, (row) =>
      viewOf(row, this.#urlOf(row), this.#parts.database.now()),
    );
  }

  async #draft({ scope, name, by }: NamedCall, body: PutWebhookBody, present: WebhookRow | undefined): Promise<Draft> {
    const { database, sealer, ids, forges } = this.#parts;
    const { org_id, project_id, org, project } = scope;
    checkRepo(body.repo);
    forges.get(body.forge);
    // Members that a body leaves out are kept, as long as the repository is the same.
    const kept = present && isSamePlace(present, body) ? present : undefined;
    const auto = body.auto_register ?? kept?.auto_register === 1;
    const secret = present === undefined || body.rotate ? ids.bytes(SECRET_BYTES).toString('base64url') : undefined;
    const set_at = database.now();
    const row: WebhookRow = {
      org_id,
      project_id,
      org,
      project,
      name,
      webhook_id: present?.webhook_id ?? ids.next('whk'),
      revision: ids.next('rev'),
      forge: body.forge,
      repo: body.repo,
      api_base: body.api_base === undefined ? (kept?.api_base ?? null) : checkApiBase(body.api_base),
      credential: body.credential ?? kept?.credential ?? null,
      auto_register: auto ? 1 : 0,
      hook_id: auto ? (kept?.hook_id ?? null) : null,
      about: null,
      credentials: null,
      workflow: null,
      created_at: present?.created_at ?? set_at,
      set_at,
      set_by: by.principal?.id ?? null,
      secret: present?.secret ?? Buffer.alloc(0),
      ...oldOf(secret === undefined ? present : undefined),
    };
    if (secret !== undefined) row.secret = sealSecret(sealer, row, secret);
    Object.assign(row, await this.#workflow(row, body));
    const register = auto && (body.auto_register === true || secret !== undefined || row.hook_id === null);
    return { row, secret, register };
  }

  async #workflow(row: WebhookRow, body: PutWebhookBody): Promise<Partial<WebhookRow>> {
    const given = workflowOf(body);
    if (!given) return {};
    const at = workflowPlace(row);
    const { sealed, about, credentials } = await this.#parts.workflows.store(row, given.workflow, at, given.pointer);
    return { workflow: sealed, about, credentials };
  }

  /**
   * The row is written first, because a forge delivers as soon as it knows the address. It is removed when the forge
   * refuses.
   */
  async #make(call: NamedCall, { row, register }: Draft): Promise<string[]> {
    const { writes, database } = this.#parts;
    await writes.write(
      call,
      'webhook.set',
      async (tx) => (await webhooks.insert(tx, row)) || refuseOther(tx, row),
      () => aboutOf(row),
    );
    if (!register) return [];
    try {
      row.hook_id = await this.#register(row);
    } catch (error) {
      await this.#remove(call, row, ' not registered').catch((gone: unknown) => {
        if (!isServiceError(gone, 'not_found')) throw gone;
      });
      throw error;
    }
    await retryUnknownCommit(() => database.transaction((tx) => webhooks.replace(tx, row, { revision: row.revision })));
    return this.#unreachable();
  }

  /** The forge is told first: when it refuses, everything stays as it was. */
  async #replace(call: NamedCall, present: WebhookRow, { row, register }: Draft): Promise<string[]> {
    if (register) row.hook_id = await this.#register(row);
    await this.#parts.writes.write(
      call,
      'webhook.set',
      async (tx) => (await webhooks.replace(tx, row, { revision: present.revision })) || refuseOther(tx, row),
      () => aboutOf(row),
    );
    const gone = row.auto_register === 0 || !isSamePlace(present, row);
    return [...(gone ? await this.#leave(present) : []), ...(register ? this.#unreachable() : [])];
  }

  #register(row: WebhookRow): Promise<string> {
    const secret = openSecret(this.#parts.sealer, row);
    return this.#parts.registration.register(
      this.#farRepo(row, this.#parts.forges.get(row.forge)),
      this.#urlOf(row),
      secret,
    );
  }

  /** Removes it at the forge if it was registered there. */
  async #leave(row: WebhookEntry): Promise<string[]> {
    if (row.hook_id === null) return [];
    const forge = this.#parts.forges.find(row.forge);
    if (!forge)
      return [`the webhook of ${row.repo} stays at the forge: the manifest of ${row.forge} is no longer installed`];
    const fault = await this.#parts.registration.unregister(this.#farRepo(row, forge), row.hook_id);
    return fault === undefined ? [] : [fault];
  }

  #farRepo({ org_id, project_id, repo, api_base, credential }: WebhookEntry, forge: Forge): FarRepo {
    return { scope: { org_id, project_id }, forge, repo, api_base, credential };
  }

  #urlOf({ webhook_id }: WebhookEntry): string {
    const { address } = this.#parts;
    return `${address.public_url() ?? address.base_url()}/api/v1/forges/${webhook_id}`;
  }

  #unreachable(): string[] {
    const { address } = this.#parts;
    if (address.public_url() !== undefined) return [];
    return [`SVC_PUBLIC_URL is not set, so the forge will deliver to ${address.base_url()}`];
  }

  /** Throws `not_found` when it was replaced or removed meanwhile. */
  #remove(call: NamedCall, row: WebhookRow, detail = ''): Promise<void> {
    const remove = (tx: Transaction) => webhooks.remove(tx, row, row.name, { revision: row.revision });
    return this.#parts.writes.remove(call, 'webhook.delete', { ...WEBHOOK, remove }, () => `${aboutOf(row)}${detail}`);
  }
}

const oldOf = (present: WebhookRow | undefined) => ({
  old_secret: present?.old_secret ?? null,
  old_until: present?.old_until ?? null,
  old_used_at: present?.old_used_at ?? null,
});

const aboutOf = ({ forge, repo }: WebhookEntry): string => `${forge} ${repo}`;

const isSamePlace = (one: Pick<WebhookEntry, 'forge' | 'repo'>, other: Pick<WebhookEntry, 'forge' | 'repo'>) =>
  one.forge === other.forge && one.repo.toLowerCase() === other.repo.toLowerCase();

/** The existing row is ours when the answer to its commit was lost. */
async function refuseOther(tx: Transaction, row: WebhookRow): Promise<void> {
  if ((await webhooks.find(tx, row, row.name))?.revision === row.revision) return;
  refuseChanged(row);
}

function refuseChanged({ name }: WebhookRow): never {
  throw Errors.unavailable(`the webhook ${name} was changed by somebody else just now`, { retryAfterMs: 100 });
}

function notWithEnd() {
  const message = 'cannot be set with end_overlap';
  return Errors.invalidRequest(`overlap ${message}`, { errors: [{ pointer: '/overlap', message }] });
}
