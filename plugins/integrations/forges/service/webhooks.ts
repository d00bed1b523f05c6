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
} from '../../../../kernel/contracts/index.ts';
import { overlapUntil } from '../../deliveries/contract.ts';
import type {
  AuditedWrites,
  NamedRequest,
  ProjectScope,
  ResourceService,
} from '../../../platform/resources/contract.ts';
import type { StoredWorkflows } from '../../../events/workflows/contract.ts';
import type { Forge } from '../domain/forge.ts';
import { checkApiBase, checkRepo, WEBHOOK } from '../domain/webhook-rules.ts';
import type { PutWebhookBody } from '../generated/put-webhook.ts';
import type { RotateWebhook } from '../generated/rotate-webhook.ts';
import type { WebhookView } from '../generated/webhook.ts';
import { replaceSecrets, type WebhookEntry, type WebhookRow, webhooks } from '../store/webhooks.ts';
import type { Forges } from './forges.ts';
import type { RemoteRepo, Registration } from './registration.ts';
import { openSecret, sealSecret, workflowContext } from './sealed.ts';
import { toView } from './view.ts';
import { readWorkflow } from './workflow.ts';

export interface WebhookDeps {
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

/** A webhook that is about to be written. */
interface Draft {
  row: WebhookRow;
  /** A new secret, which is shown once. */
  secret: string | undefined;
  /** True when the webhook must be registered at the forge. */
  register: boolean;
}

/** Sets, shows and removes webhooks. Each change and its audit row are one transaction. */
export class Webhooks implements ResourceService<PutWebhookBody> {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  /**
   * Creates or changes a webhook. Throws `invalid_request`, the errors of a submit, and those of
   * `Registration.register`; then nothing has changed.
   */
  async set(call: NamedRequest, body: PutWebhookBody): Promise<{ made: boolean; view: WebhookView }> {
    await this.#deps.sealer.prepare(call.scope.org_id);
    return retryLostRace(() => this.#trySet(call, body));
  }

  async #trySet(call: NamedRequest, body: PutWebhookBody): Promise<{ made: boolean; view: WebhookView }> {
    const present = await webhooks.find(this.#deps.database, call.scope, call.name);
    const draft = await this.#draft(call, body, present);
    const warnings = present ? await this.#replace(call, present, draft) : await this.#create(call, draft);
    const { row, secret } = draft;
    const listed_warnings = warnings.length === 0 ? undefined : warnings;
    return { made: present === undefined, view: { ...this.#toView(row), secret, warnings: listed_warnings } };
  }

  /**
   * Creates a new secret. The previous one stays valid for `overlap`, or ends at once. With `end_overlap`, no secret is
   * created and the previous one ends. A registered webhook is changed at the forge first. Throws `not_found`,
   * `invalid_request` and the errors of `Registration.register`.
   */
  async rotate(call: NamedRequest, body: RotateWebhook): Promise<WebhookView> {
    await this.#deps.sealer.prepare(call.scope.org_id);
    return retryLostRace(() => this.#tryRotate(call, body));
  }

  async #tryRotate(call: NamedRequest, body: RotateWebhook): Promise<WebhookView> {
    const { database, ids, writes } = this.#deps;
    const present = await webhooks.get(database, call.scope, call.name);
    const until = body.overlap === undefined ? null : overlapUntil(body.overlap, database.now());
    if (body.end_overlap && until !== null) throw overlapNotAllowed();
    const secret = body.end_overlap ? undefined : ids.bytes(SECRET_BYTES).toString('base64url');
    const row: WebhookRow = {
      ...present,
      secret: secret === undefined ? present.secret : sealSecret(this.#deps.sealer, present, secret),
      old_until: until,
      old_secret: until === null ? null : present.secret,
      old_used_at: null,
    };
    if (secret !== undefined && row.auto_register === 1) row.hook_id = await this.#register(row);
    await writes.write(
      call,
      'webhook.rotate',
      async (tx) => (await replaceSecrets(tx, present, row)) || throwChanged(row),
      () => (body.end_overlap ? 'overlap ended' : until === null ? '' : `overlap ${body.overlap}`),
    );
    return { ...this.#toView(row), secret };
  }

  /** Throws `not_found`. */
  find({ scope, name }: Pick<NamedRequest, 'scope' | 'name'>): Promise<WebhookRow> {
    return webhooks.get(this.#deps.database, scope, name);
  }

  /** Removes a webhook and returns the errors of the forge. Throws `not_found`. */
  async remove(call: NamedRequest): Promise<{ warnings: string[] } | undefined> {
    const row = await webhooks.get(this.#deps.database, call.scope, call.name);
    await this.#remove(call, row);
    const warnings = await this.#unregister(row);
    return warnings.length === 0 ? undefined : { warnings };
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedRequest): Promise<WebhookView> {
    const row = await webhooks.get(this.#deps.database, scope, name);
    await this.#deps.sealer.prepare(scope.org_id);
    return this.#toView(row);
  }

  #toView(row: WebhookRow): WebhookView {
    const workflow = row.workflow === null ? undefined : this.#deps.workflows.open(workflowContext(row), row.workflow);
    return toView(row, this.#deliveryUrl(row), this.#deps.database.now(), workflow);
  }

  list(scope: ProjectScope, page: Page) {
    return webhooks.page(this.#deps.database, scope, page, (row) =>
      toView(row, this.#deliveryUrl(row), this.#deps.database.now()),
    );
  }

  async #draft(
    { scope, name, by }: NamedRequest,
    body: PutWebhookBody,
    present: WebhookRow | undefined,
  ): Promise<Draft> {
    const { database, sealer, ids, forges } = this.#deps;
    const { org_id, project_id, org, project } = scope;
    checkRepo(body.repo);
    forges.get(body.forge);
    // Members that the body omits keep their values, as long as the repository is the same.
    const previous = present && isSameRepo(present, body) ? present : undefined;
    const auto = body.auto_register ?? previous?.auto_register === 1;
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
      api_base: body.api_base === undefined ? (previous?.api_base ?? null) : checkApiBase(body.api_base),
      credential: body.credential ?? previous?.credential ?? null,
      auto_register: auto ? 1 : 0,
      hook_id: auto ? (previous?.hook_id ?? null) : null,
      about: null,
      credentials: null,
      workflow: null,
      created_at: present?.created_at ?? set_at,
      set_at,
      set_by: by.principal?.id ?? null,
      secret: present?.secret ?? Buffer.alloc(0),
      ...pickOldSecret(secret === undefined ? present : undefined),
    };
    if (secret !== undefined) row.secret = sealSecret(sealer, row, secret);
    Object.assign(row, await this.#workflow(row, body));
    const register = auto && (body.auto_register === true || secret !== undefined || row.hook_id === null);
    return { row, secret, register };
  }

  async #workflow(row: WebhookRow, body: PutWebhookBody): Promise<Partial<WebhookRow>> {
    const input = readWorkflow(body);
    if (!input) return {};
    const at = workflowContext(row);
    const { sealed, about, credentials } = await this.#deps.workflows.store(row, input.workflow, at, {
      pointer: input.pointer,
    });
    return { workflow: sealed, about, credentials };
  }

  /**
   * The row is written first, because a forge delivers as soon as it knows the address. It is removed when the forge
   * rejects the registration.
   */
  async #create(call: NamedRequest, { row, register }: Draft): Promise<string[]> {
    const { writes, database } = this.#deps;
    await writes.write(
      call,
      'webhook.set',
      async (tx) => (await webhooks.insert(tx, row)) || assertOwnWrite(tx, row),
      () => auditDetail(row),
    );
    if (!register) return [];
    try {
      row.hook_id = await this.#register(row);
    } catch (error) {
      await this.#remove(call, row, ' not registered').catch((removal_error: unknown) => {
        if (!isServiceError(removal_error, 'not_found')) throw removal_error;
      });
      throw error;
    }
    await retryUnknownCommit(() => database.transaction((tx) => webhooks.replace(tx, row, { revision: row.revision })));
    return this.#reachabilityWarnings();
  }

  /** The forge is changed first, so that nothing changes here when it rejects the request. */
  async #replace(call: NamedRequest, present: WebhookRow, { row, register }: Draft): Promise<string[]> {
    if (register) row.hook_id = await this.#register(row);
    await this.#deps.writes.write(
      call,
      'webhook.set',
      async (tx) => (await webhooks.replace(tx, row, { revision: present.revision })) || assertOwnWrite(tx, row),
      () => auditDetail(row),
    );
    const is_unregistered = row.auto_register === 0 || !isSameRepo(present, row);
    return [
      ...(is_unregistered ? await this.#unregister(present) : []),
      ...(register ? this.#reachabilityWarnings() : []),
    ];
  }

  #register(row: WebhookRow): Promise<string> {
    const secret = openSecret(this.#deps.sealer, row);
    return this.#deps.registration.register(
      this.#remoteRepo(row, this.#deps.forges.get(row.forge)),
      this.#deliveryUrl(row),
      secret,
    );
  }

  /** Removes it at the forge if it was registered there. */
  async #unregister(row: WebhookEntry): Promise<string[]> {
    if (row.hook_id === null) return [];
    const forge = this.#deps.forges.find(row.forge);
    if (!forge)
      return [`the webhook of ${row.repo} remains at the forge: the manifest of ${row.forge} is no longer installed`];
    const warning = await this.#deps.registration.unregister(this.#remoteRepo(row, forge), row.hook_id);
    return warning === undefined ? [] : [warning];
  }

  #remoteRepo({ org_id, project_id, repo, api_base, credential }: WebhookEntry, forge: Forge): RemoteRepo {
    return { scope: { org_id, project_id }, forge, repo, api_base, credential };
  }

  #deliveryUrl({ webhook_id }: WebhookEntry): string {
    const { address } = this.#deps;
    return `${address.public_url() ?? address.base_url()}/api/v1/forges/${webhook_id}`;
  }

  #reachabilityWarnings(): string[] {
    const { address } = this.#deps;
    if (address.public_url() !== undefined) return [];
    return [`SVC_PUBLIC_URL is not set, so the forge will deliver to ${address.base_url()}`];
  }

  /** Throws `not_found` when the webhook was replaced or removed meanwhile. */
  #remove(call: NamedRequest, row: WebhookRow, detail = ''): Promise<void> {
    const remove = (tx: Transaction) => webhooks.remove(tx, row, row.name, { revision: row.revision });
    return this.#deps.writes.remove(
      call,
      'webhook.delete',
      { ...WEBHOOK, remove },
      () => `${auditDetail(row)}${detail}`,
    );
  }
}

const pickOldSecret = (present: WebhookRow | undefined) => ({
  old_secret: present?.old_secret ?? null,
  old_until: present?.old_until ?? null,
  old_used_at: present?.old_used_at ?? null,
});

const auditDetail = ({ forge, repo }: WebhookEntry): string => `${forge} ${repo}`;

const isSameRepo = (a: Pick<WebhookEntry, 'forge' | 'repo'>, b: Pick<WebhookEntry, 'forge' | 'repo'>) =>
  a.forge === b.forge && a.repo.toLowerCase() === b.repo.toLowerCase();

/** The existing row is ours when the answer to its commit was lost. */
async function assertOwnWrite(tx: Transaction, row: WebhookRow): Promise<void> {
  if ((await webhooks.find(tx, row, row.name))?.revision === row.revision) return;
  throwChanged(row);
}

/** The loser of a race reads the present row and tries again. */
async function retryLostRace<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isServiceError(error, 'unavailable')) throw error;
    }
  }
}

function throwChanged({ name }: WebhookRow): never {
  throw Errors.unavailable(`the webhook ${name} was just changed by another request`, { retryAfterMs: 100 });
}

function overlapNotAllowed() {
  const message = 'cannot be set with end_overlap';
  return Errors.invalidRequest(`overlap ${message}`, { errors: [{ pointer: '/overlap', message }] });
}
