import type { Egress, EgressAnswer, Log } from '../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';
import type { CredentialFields, Credentials } from '../../credentials/contract.ts';
import type { ForgeApi, ForgeCall } from '../../manifests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import type { Forge } from '../domain/forge.ts';
import { textAt, valueAt } from '../domain/places.ts';
import { ForgeErrors } from '../errors.ts';
import type { ProjectScope } from '../../resources/contract.ts';

export interface RegistrationParts {
  egress: Egress;
  credentials: Pick<Credentials, 'resolve' | 'refused'>;
  log: Log;
}

/** A repository at a forge, and the credential for its API. */
export interface FarRepo {
  scope: ProjectScope;
  forge: Forge;
  repo: string;
  api_base: string | null;
  /** Name of a credential of kind `bearer`. */
  credential: string | null;
}

interface Session {
  api: ForgeApi;
  base: string;
  repo: string;
  token: string;
  /** Tells the holder of the token that the forge does not accept it. */
  refused(): void;
}

const MAX_PAGES = 20;
const TIMEOUT_MS = 20_000;
const TOLD_LENGTH = 200;

/** Webhooks at the forge: created, found and removed through its API. The requests are data of its manifest. */
export class Registration {
  readonly #parts: RegistrationParts;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  /**
   * Tells the forge to deliver to `delivery_url`, and answers the forge's id of the webhook. An existing webhook for
   * this URL is updated instead. Throws `invalid_request`, the refusals of `Credentials.resolve`,
   * `egress_refused`, `egress_failed`, `forge_refused`.
   */
  async register(at: FarRepo, delivery_url: string, secret: string): Promise<string> {
    const session = await this.#open(at);
    const { api } = session;
    const known = await this.#find(session, delivery_url);
    const values = { delivery_url, secret };
    if (known !== undefined) {
      await this.#call(session, api.update, 'to update the webhook', { id: known, values });
      return known;
    }
    const made = await this.#call(session, api.create, 'to create the webhook', { values });
    const id = idOf(jsonOf(made), api);
    if (id === undefined) throw ForgeErrors.forgeRefused('the answer of the forge has no id of the new webhook');
    return id;
  }

  /** Answers why it could not be removed; undefined when it was. Never throws because of the far end. */
  async unregister(at: FarRepo, hook_id: string): Promise<string | undefined> {
    try {
      const session = await this.#open(at);
      await this.#call(session, session.api.remove, 'to remove the webhook', { id: hook_id, absent: true });
      return undefined;
    } catch (error) {
      if (!isServiceError(error) || error.status >= 500) throw error;
      this.#parts.log.warn({ forge: at.forge.name, code: error.code }, 'removing a webhook at its forge failed');
      return `the webhook of ${at.repo} stays at the forge: ${error.message}`;
    }
  }

  async #open({ scope, forge, repo, api_base, credential }: FarRepo): Promise<Session> {
    const { api } = forge.section;
    if (!api) throw refused('/auto_register', `${forge.name} has no API for webhooks; register it there by hand`);
    const base = api_base ?? api.base;
    if (base === undefined) throw refused('/api_base', `is required, because ${forge.name} has no default host`);
    if (credential === null) throw refused('/credential', 'is required with auto_register');
    const { credentials } = this.#parts;
    const fields = await credentials.resolve(scope, { name: credential, kinds: ['bearer'] });
    const { token } = fields as CredentialFields & { kind: 'bearer' };
    return { api, base, repo, token, refused: () => credentials.refused(scope, credential) };
  }

  async #find(session: Session, delivery_url: string): Promise<string | undefined> {
    const { api } = session;
    for (let page = 1; page <= MAX_PAGES; page++) {
      const entries = jsonOf(await this.#call(session, api.list, 'to list the webhooks', { page }));
      if (!Array.isArray(entries)) throw ForgeErrors.forgeRefused('the forge did not answer with a list of webhooks');
      const own = entries.find((entry) => textAt(entry, [api.url]) === delivery_url);
      if (own !== undefined) return idOf(own, api);
      if (entries.length < api.page_size) return undefined;
    }
    return undefined;
  }

  async #call(session: Session, call: ForgeCall, what: string, given: Given): Promise<EgressAnswer> {
    const { api, base, repo, token } = session;
    const path = call.path
      .replace('{repo}', repo.split('/').map(encodeURIComponent).join('/'))
      .replace('{page}', String(given.page ?? 1))
      .replace('{id}', encodeURIComponent(given.id ?? ''));
    const body = call.body === undefined ? undefined : fill(call.body as Json, api, given.values ?? {});
    const answer = await this.#parts.egress.request({
      method: call.method,
      url: `${base}${path}`,
      headers: {
        ...(api.headers as Record<string, string> | undefined),
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      timeout_ms: TIMEOUT_MS,
    });
    const { status } = answer;
    if ((status >= 200 && status < 300) || (given.absent && status === 404)) return answer;
    if (status === 401) session.refused();
    const said = told(answer, [token, given.values?.secret ?? '']);
    throw ForgeErrors.forgeRefused(`the forge answered ${status} when it was asked ${what} of ${repo}${said}`, {
      data: { forge_status: status },
    });
  }
}

interface Given {
  page?: number;
  id?: string;
  values?: Readonly<Record<string, string>>;
  /** True when "there is none" is an acceptable answer. */
  absent?: boolean;
}

function refused(pointer: string, message: string) {
  return Errors.invalidRequest(`${pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });
}

/** A body with its holes filled. */
function fill(template: Json, api: ForgeApi, values: Readonly<Record<string, string>>): Json {
  if (template === '{events}') return [...api.events];
  if (typeof template === 'string') return template.replace(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole);
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((one) => fill(one, api, values));
  return Object.fromEntries(Object.entries(template).map(([name, one]) => [name, fill(one, api, values)]));
}

function idOf(entry: Json | undefined, api: ForgeApi): string | undefined {
  const id = valueAt(entry, api.id);
  const text = typeof id === 'number' || typeof id === 'string' ? String(id) : '';
  return text === '' || text.length > 255 ? undefined : text;
}

function jsonOf({ body }: EgressAnswer): Json | undefined {
  try {
    return parseJson(body) as Json;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

/** The forge's reason for its refusal, for people; never anything secret that was sent to it. */
function told(answer: EgressAnswer, secrets: readonly string[]): string {
  const message = valueAt(jsonOf(answer), '/message');
  if (typeof message !== 'string') return '';
  let text = message;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '***');
  return `: ${text
    .replace(/[^\P{C}\n]/gu, '')
    .replace(/\s+/g, ' ')
    .slice(0, TOLD_LENGTH)}`;
}
