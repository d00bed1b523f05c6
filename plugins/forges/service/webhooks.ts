import {
  type Database,
  Errors,
  type HttpAddress,
  type Ids,
  isServiceError,
  type Page,
  pageOf,
  type Scope,
  type Sealer,
  settled,
  token,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { RunCreation } from '../../runs/contract.ts';
import type { Forge } from '../domain/forge.ts';
import { checkApiBase, checkName, checkRepo, isName } from '../domain/webhook-rules.ts';
import { ForgeErrors } from '../errors.ts';
import type { PutWebhookBody } from '../generated/put-webhook.ts';
import type { WebhookView } from '../generated/webhook.ts';
import {
  countWebhooks,
  insertWebhook,
  keepHookId,
  listWebhooks,
  readWebhook,
  removeWebhook,
  replaceWebhook,
  type WebhookEntry,
  type WebhookRow,
  type WebhookScope,
} from '../store/webhook-table.ts';
import type { Forges } from './forges.ts';
import type { FarRepo, Registration } from './registration.ts';
import { openSecret, openWorkflow, sealSecret, sealWorkflow } from './sealed.ts';
import { viewOf } from './view.ts';
import { submitOf, within, workflowOf } from './workflow.ts';

export interface WebhookParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Audit;
  creation: Pick<RunCreation, 'prepare'>;
  forges: Forges;
  registration: Pick<Registration, 'register' | 'unregister'>;
  address: HttpAddress;
}

const SECRET_BYTES = 32;
const ATTEMPTS = 10;
const MOST_WEBHOOKS = 1000;

const noWebhook = (name: string) => Errors.notFound(`no webhook ${name.slice(0, 63)} in this project`);

/** A webhook that is about to be written. */
interface Draft {
  row: WebhookRow;
  /** Only of one that was just made: it is told once. */
  secret: string | undefined;
  /** Does the forge have to hear of it? */
  register: boolean;
}

/** Sets, shows and removes webhooks; what is done here and the audit row of it are one transaction. */
export class Webhooks {
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request`, what a submit throws, and what `Registration.register` throws; nothing is left then. */
  async set(
    scope: Scope,
    name: string,
    body: PutWebhookBody,
    by: AuditSource,
  ): Promise<{ made: boolean; view: WebhookView }> {
    checkName(name);
    await this.#parts.sealer.prepare(scope.org_id);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#set(scope, name, body, by);
      } catch (error) {
        // Whoever lost a race looks at what is there now.
        if (attempt === ATTEMPTS || !isServiceError(error, 'unavailable')) throw error;
      }
    }
  }

  async #set(
    scope: Scope,
    name: string,
    body: PutWebhookBody,
    by: AuditSource,
  ): Promise<{ made: boolean; view: WebhookView }> {
    const { database, sealer } = this.#parts;
    const present = await readWebhook(database, scope, name);
    const draft = await this.#draft(scope, name, body, present, by);
    const warnings = present ? await this.#replace(present, draft, by) : await this.#make(draft, by);
    const { row, secret } = draft;
    const opened = row.workflow === null ? undefined : openWorkflow(sealer, row, row.workflow);
    const view = {
      ...viewOf(row, this.#urlOf(row), opened),
      ...(secret === undefined ? {} : { secret }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
    return { made: present === undefined, view };
  }

  /** Answers what could not be done at the forge. Throws `not_found`. */
  async remove(scope: WebhookScope, name: string, by: AuditSource): Promise<string[]> {
    const { database } = this.#parts;
    const row = await this.#row(scope, name);
    await database.transaction(async (tx) => {
      if (!(await removeWebhook(tx, row))) throw noWebhook(name);
      await this.#record(tx, row, 'webhook.delete', by);
    });
    return this.#leave(row);
  }

  /** Throws `not_found`. */
  async read(scope: WebhookScope, name: string): Promise<WebhookView> {
    const row = await this.#row(scope, name);
    if (row.workflow === null) return viewOf(row, this.#urlOf(row));
    await this.#parts.sealer.prepare(scope.org_id);
    return viewOf(row, this.#urlOf(row), openWorkflow(this.#parts.sealer, row, row.workflow));
  }

  async list(scope: WebhookScope, page: Page): Promise<{ items: WebhookView[]; next_cursor?: string }> {
    const rows = await listWebhooks(this.#parts.database, scope, page);
    const { items, ...rest } = pageOf(rows, page.limit, ({ webhook_id }) => webhook_id);
    return { items: items.map((row) => viewOf(row, this.#urlOf(row))), ...rest };
  }

  async #draft(
    scope: Scope,
    name: string,
    body: PutWebhookBody,
    present: WebhookRow | undefined,
    by: AuditSource,
  ): Promise<Draft> {
    const { database, sealer, ids, forges } = this.#parts;
    const { org_id, project_id, org, project } = scope;
    checkRepo(body.repo);
    forges.get(body.forge);
    // What a body does not speak of stays, as long as it is the same repository.
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
    };
    if (secret !== undefined) row.secret = sealSecret(sealer, row, secret);
    Object.assign(row, await this.#workflow(row, body));
    const register = auto && (body.auto_register === true || secret !== undefined || row.hook_id === null);
    return { row, secret, register };
  }

  async #workflow(row: WebhookRow, body: PutWebhookBody): Promise<Partial<WebhookRow>> {
    const given = workflowOf(body);
    if (!given) return {};
    const { workflow, pointer } = given;
    const run = await this.#parts.creation.prepare(submitOf(row, workflow)).catch((error: unknown) => {
      throw within(pointer, error);
    });
    const { filename, credentials = {} } = workflow;
    return {
      workflow: sealWorkflow(this.#parts.sealer, row, workflow),
      about: JSON.stringify({ kind: run.kind, ...(filename === undefined ? {} : { filename }) }),
      credentials: Object.keys(credentials).length === 0 ? null : JSON.stringify(credentials),
    };
  }

  /** The row comes first: a forge delivers as soon as it knows where to. It does not stay when the forge refuses. */
  async #make({ row, register }: Draft, by: AuditSource): Promise<string[]> {
    const { database } = this.#parts;
    await settled(() =>
      database.transaction(async (tx) => {
        const made = await insertWebhook(tx, row);
        if (made && (await countWebhooks(tx, row)) > MOST_WEBHOOKS)
          throw ForgeErrors.webhooksFull(`the project has ${MOST_WEBHOOKS} webhooks`);
        if (made) return this.#record(tx, row, 'webhook.set', by);
        await refuseOther(tx, row);
      }),
    );
    if (!register) return [];
    try {
      row.hook_id = await this.#register(row);
    } catch (error) {
      await settled(() =>
        database.transaction(async (tx) => {
          if (await removeWebhook(tx, row)) await this.#record(tx, row, 'webhook.delete', by, 'not registered');
        }),
      );
      throw error;
    }
    await settled(() => database.transaction((tx) => keepHookId(tx, row, row.hook_id!)));
    return this.#unreachable();
  }

  /** The forge comes first: when it refuses, everything stays as it was. */
  async #replace(present: WebhookRow, { row, register }: Draft, by: AuditSource): Promise<string[]> {
    if (register) row.hook_id = await this.#register(row);
    await settled(() =>
      this.#parts.database.transaction(async (tx) => {
        if (await replaceWebhook(tx, present, row)) return this.#record(tx, row, 'webhook.set', by);
        await refuseOther(tx, row);
      }),
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
    if (!forge) return [`the webhook of ${row.repo} stays at the forge: nothing describes ${row.forge} any more`];
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
    return [`SVC_PUBLIC_URL is not set, so the forge was told to deliver to ${address.base_url()}`];
  }

  async #row(scope: WebhookScope, name: string): Promise<WebhookRow> {
    const row = isName(name) ? await readWebhook(this.#parts.database, scope, name) : undefined;
    if (row === undefined) throw noWebhook(name);
    return row;
  }

  #record(tx: Transaction, row: WebhookEntry, action: string, by: AuditSource, detail = ''): Promise<void> {
    const { org_id, project_id, name, forge, repo } = row;
    const said = [forge, repo, detail].filter((part) => part !== '').join(' ');
    return this.#parts.audit.record(tx, { ...by, org_id, project_id, action, subject: name, detail: said });
  }
}

const isSamePlace = (one: Pick<WebhookEntry, 'forge' | 'repo'>, other: Pick<WebhookEntry, 'forge' | 'repo'>) =>
  one.forge === other.forge && one.repo.toLowerCase() === other.repo.toLowerCase();

/** What stands there is ours when the answer to its commit was lost. */
async function refuseOther(tx: Transaction, row: WebhookRow): Promise<void> {
  if ((await readWebhook(tx, row, row.name))?.revision === row.revision) return;
  throw Errors.unavailable(`the webhook ${row.name} was changed by somebody else just now`, { retryAfterMs: 100 });
}

/** The token under which the routes find them. */
export const OwnWebhooks = token<Webhooks>('forges.Webhooks');
