import type { Egress, EgressAnswer, Log } from '../../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { Errors } from '../../../../kernel/contracts/index.ts';
import { parseJsonYielding } from '../../../platform/schema/contract.ts';
import type { CredentialFields, Credentials } from '../../../secrets/credentials/contract.ts';
import type { ForgeApi, ForgeCall } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import type { Forge } from '../domain/forge.ts';
import { textAt, valueAt } from '../domain/json-pointer.ts';
import { ForgeErrors } from '../errors.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';

export interface RegistrationDeps {
  egress: Egress;
  credentials: Pick<Credentials, 'resolve' | 'reportRejected'>;
  log: Log;
}

/** A repository at a forge, and the credential for its API. */
export interface RemoteRepo {
  scope: ProjectScope;
  forge: Forge;
  repo: string;
  api_base: string | null;
  /** The name of a credential of kind `bearer`. */
  credential: string | null;
}

interface Session {
  api: ForgeApi;
  base: string;
  repo: string;
  token: string;
  /** Reports that the forge rejected the token. */
  onUnauthorized(): void;
}

const MAX_PAGES = 20;
const TIMEOUT_MS = 20_000;
const MAX_MESSAGE_LENGTH = 200;

/** Creates, finds and removes webhooks at a forge through its API. The manifest describes the requests. */
export class Registration {
  readonly #deps: RegistrationDeps;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Registers `delivery_url` at the forge and returns the forge's id of the webhook. An existing webhook for this URL
   * is updated instead. Throws `invalid_request`, the errors of `Credentials.resolve`, `egress_refused`,
   * `egress_failed`, `forge_refused`.
   */
  async register(at: RemoteRepo, delivery_url: string, secret: string): Promise<string> {
    const session = await this.#openSession(at);
    const { api } = session;
    const existing_id = await this.#findWebhook(session, delivery_url);
    const values = { delivery_url, secret };
    if (existing_id !== undefined) {
      await this.#request(session, api.update, 'to update the webhook', { id: existing_id, values });
      return existing_id;
    }
    const created = await this.#request(session, api.create, 'to create the webhook', { values });
    const id = readId(await parseBody(created), api);
    if (id === undefined)
      throw ForgeErrors.forgeRefused("the forge's response does not contain the ID of the new webhook");
    return id;
  }

  /** Removes the webhook at the forge. Returns the reason when that failed, and does not throw because of the forge. */
  async unregister(at: RemoteRepo, hook_id: string): Promise<string | undefined> {
    try {
      const session = await this.#openSession(at);
      await this.#request(session, session.api.remove, 'to remove the webhook', { id: hook_id, absent: true });
      return undefined;
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      this.#deps.log.warn({ forge: at.forge.name, code: error.code }, 'removing a webhook at its forge failed');
      return `the webhook of ${at.repo} remains at the forge: ${error.message}`;
    }
  }

  async #openSession({ scope, forge, repo, api_base, credential }: RemoteRepo): Promise<Session> {
    const { api } = forge.section;
    if (!api)
      throw invalidRequest('/auto_register', `${forge.name} has no API for webhooks; register it there yourself`);
    const base = api_base ?? api.base;
    if (base === undefined) throw invalidRequest('/api_base', `is required, because ${forge.name} has no default host`);
    if (credential === null) throw invalidRequest('/credential', 'is required with auto_register');
    const { credentials } = this.#deps;
    const fields = await credentials.resolve(scope, {
      name: credential,
      kinds: ['bearer'],
      destination: { url: base },
    });
    const { token } = fields as CredentialFields & { kind: 'bearer' };
    return { api, base, repo, token, onUnauthorized: () => credentials.reportRejected(scope, credential) };
  }

  async #findWebhook(session: Session, delivery_url: string): Promise<string | undefined> {
    const { api } = session;
    for (let page = 1; page <= MAX_PAGES; page++) {
      const entries = await parseBody(await this.#request(session, api.list, 'to list the webhooks', { page }));
      if (!Array.isArray(entries)) throw ForgeErrors.forgeRefused('the forge did not answer with a list of webhooks');
      const registered = entries.find((entry) => textAt(entry, [api.url]) === delivery_url);
      if (registered !== undefined) return readId(registered, api);
      if (entries.length < api.page_size) return undefined;
    }
    return undefined;
  }

  async #request(session: Session, call: ForgeCall, what: string, params: CallParams): Promise<EgressAnswer> {
    const { api, base, repo, token } = session;
    const path = call.path
      .replace('{repo}', repo.split('/').map(encodeURIComponent).join('/'))
      .replace('{page}', String(params.page ?? 1))
      .replace('{id}', encodeURIComponent(params.id ?? ''));
    const body = call.body === undefined ? undefined : fillTemplate(call.body as Json, api, params.values ?? {});
    const answer = await this.#deps.egress.request({
      method: call.method,
      url: `${base}${path}`,
      headers: {
        ...(api.headers as Record<string, string> | undefined),
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      timeout_ms: TIMEOUT_MS,
    });
    const { status } = answer;
    if ((status >= 200 && status < 300) || (params.absent && status === 404)) return answer;
    if (status === 401) session.onUnauthorized();
    const reason = await describeRejection(answer, [token, params.values?.secret ?? '']);
    throw ForgeErrors.forgeRefused(`the forge responded with ${status} to ${what} for ${repo}${reason}`, {
      data: { forge_status: status },
    });
  }
}

interface CallParams {
  page?: number;
  id?: string;
  values?: Readonly<Record<string, string>>;
  /** When true, a 404 is accepted. */
  absent?: boolean;
}

function invalidRequest(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
}

/** Fills the placeholders of a body. */
function fillTemplate(template: Json, api: ForgeApi, values: Readonly<Record<string, string>>): Json {
  if (template === '{events}') return [...api.events];
  if (typeof template === 'string')
    return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((one) => fillTemplate(one, api, values));
  return Object.fromEntries(Object.entries(template).map(([name, one]) => [name, fillTemplate(one, api, values)]));
}

function readId(entry: Json | undefined, api: ForgeApi): string | undefined {
  const id = valueAt(entry, api.id);
  const text = typeof id === 'number' || typeof id === 'string' ? String(id) : '';
  return text === '' || text.length > 255 ? undefined : text;
}

async function parseBody({ body }: EgressAnswer): Promise<Json | undefined> {
  try {
    return (await parseJsonYielding(body)) as Json;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

/** Returns the reason of the forge for messages, without any secret that was sent to it. */
async function describeRejection(answer: EgressAnswer, secrets: readonly string[]): Promise<string> {
  const message = valueAt(await parseBody(answer), '/message');
  if (typeof message !== 'string') return '';
  let text = message;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '***');
  return `: ${text
    .replace(/[^\P{C}\n]/gu, '')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_MESSAGE_LENGTH)}`;
}
