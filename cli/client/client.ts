import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { CliError, Exit } from '../errors.ts';
import { checkAddress, checkPath } from './address.ts';
import type { Profile } from './profile.ts';
import { parseExact } from '../../plugins/platform/schema/contract/exact-json.ts';

// An import would evaluate every export, and `WebSocket` of node:http loads a client of 10 MB that nobody here uses.
const { request: httpRequest } = process.getBuiltinModule('node:http');

/** Loaded only where it is needed: TLS takes a tenth of the time of a command. */
const httpsRequest = () => process.getBuiltinModule('node:https').request;

export interface Call {
  method?: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Relative to the base address, e.g. `/api/v1/whoami`. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** The body as a stream, whose type and length are in `headers`. */
  content?: AsyncIterable<Buffer>;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** How long the server may be silent. Default 60 s. */
  idle_ms?: number;
  /** The members of the answer that the command cannot do without. */
  expects?: readonly string[];
}

interface Problem {
  code?: string;
  detail?: string;
  title?: string;
  next?: string;
  request_id?: string;
  errors?: { pointer: string; message: string }[];
}

const IDLE_MS = 60_000;

/** Continues the trace of the caller, such as a step or a CI job, so that its requests become part of it. */
function traceHeaders({ TRACEPARENT, TRACESTATE }: NodeJS.ProcessEnv): Record<string, string> {
  if (!/^[0-9a-f]{2}(?:-[0-9a-f]+){3}$/.test(TRACEPARENT ?? '')) return {};
  if (!/^[\x20-\x7e]{1,512}$/.test(TRACESTATE ?? '')) return { traceparent: TRACEPARENT! };
  return { traceparent: TRACEPARENT!, tracestate: TRACESTATE! };
}

/** The CLI's HTTP client. Every failure becomes a CliError with its exit code. */
export class Client {
  readonly profile: Profile;
  /** The latest request that was answered with JSON. */
  #answered: string | undefined;

  constructor(profile: Profile) {
    this.profile = profile;
  }

  /** Prefixes a path with that of the org and project, which the specification calls `{scoped}`. */
  scoped(path: string): string {
    const { org, project } = this.profile;
    if (org === '' || project === '')
      throw new CliError(
        Exit.usage,
        'usage',
        'no org or project is selected',
        'set SVC_ORG and SVC_PROJECT, or log in with --org and --project',
      );
    return `/api/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}${path}`;
  }

  async json<T>(call: Call): Promise<T> {
    const { body } = await this.answer<T>(call);
    return body;
  }

  /** Returns the status too, for calls where it matters (201 created, 200 replaced or repeated). */
  async answer<T>(call: Call): Promise<{ status: number; body: T }> {
    const response = await this.open(call);
    const text = await this.#readText(response);
    const body = this.#parse(text);
    this.#answered = `${call.method ?? 'GET'} ${call.path}`;
    const missing = call.expects?.filter((name) => body?.[name] === undefined) ?? [];
    if (missing.length > 0) throw this.#unexpected(this.#answered, `it has no ${missing.join(' and no ')}`);
    return { status: response.statusCode ?? 0, body: body as T };
  }

  /** Every answer of svc is an object, or empty. */
  #parse(text: string): Record<string, unknown> | undefined {
    if (text === '') return undefined;
    let value: unknown;
    try {
      value = parseExact(text);
    } catch {
      // Whatever it is, it is not JSON.
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    const { url, origin } = this.profile;
    throw new CliError(
      Exit.failed,
      'not_svc',
      `the server at ${url} is not an svc server`,
      `correct the address (from ${origin})`,
    );
  }

  /**
   * Converts the error of code that reads a member which the answer does not have. Returns undefined for any other error, and
   * when nothing was answered.
   */
  toUnexpectedAnswer(error: unknown): CliError | undefined {
    if (!(error instanceof TypeError) || this.#answered === undefined) return undefined;
    const [, frame = ''] = error.stack?.split('\n') ?? [];
    return this.#unexpected(this.#answered, error.message, [frame.trim()]);
  }

  #unexpected(request: string, reason: string, details: readonly string[] = []): CliError {
    const { url, origin } = this.profile;
    return new CliError(
      Exit.failed,
      'unexpected_answer',
      `${url} returned an unexpected response to ${request}: ${reason}`,
      `check with \`svc doctor\` that the address (from ${origin}) belongs to an svc server with the same version as the CLI`,
      details,
    );
  }

  async text(call: Call): Promise<string> {
    return this.#readText(await this.open(call));
  }

  /** Yields the body of a successful answer as it arrives. A truncated one throws `unreachable` instead of just ending. */
  async *chunks(call: Call): AsyncGenerator<Buffer, void> {
    yield* this.#body(await this.open(call));
  }

  /** Returns the successful response with its body unread. */
  async open(call: Call): Promise<IncomingMessage> {
    const response = await this.#send(call);
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    if (status >= 300 && status < 400) throw this.#toRedirectError(response);
    throw toCliError(status, await this.#readText(response), this.profile);
  }

  #send(call: Call): Promise<IncomingMessage> {
    const { url, headers, payload, send, socketPath } = this.#prepare(call);
    return new Promise((resolve, reject) => {
      const request = send(url, { method: call.method ?? 'GET', headers, socketPath, signal: call.signal });
      const { idle_ms = IDLE_MS } = call;
      request.setTimeout(idle_ms, () => request.destroy(new Error(`no response within ${idle_ms / 1000} s`)));
      request.on('error', (error) => reject(this.#toUnreachableError(error)));
      if (!call.content) {
        request.on('response', resolve).end(payload);
        return;
      }
      const content = Readable.from(call.content, { objectMode: false });
      // An answer means that the server needs nothing more: it has every byte, or has rejected the request. A request that is
      // not ended would keep its connection open.
      request.on('response', (response) => {
        content.unpipe(request).destroy();
        request.end();
        resolve(response);
      });
      request.on('close', () => content.destroy());
      content.on('error', (error) => {
        reject(error);
        request.destroy();
      });
      content.pipe(request);
    });
  }

  #prepare(call: Call) {
    const unix = this.profile.url.startsWith('unix:');
    const base = unix ? 'http://localhost' : this.profile.url;
    if (!/^[\x21-\x7e]*$/.test(this.profile.token))
      throw new CliError(
        Exit.notAuthenticated,
        'not_authenticated',
        `the token from ${this.profile.token_origin} contains invalid characters`,
        'pass only the token, without line breaks or quotes',
      );
    checkAddress(this.profile.url);
    checkPath(call.path);
    const url = new URL(`${base.replace(/\/+$/, '')}${call.path}`);
    for (const [key, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) url.searchParams.set(key, String(value));
    const payload = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json, text/event-stream, text/plain',
      authorization: `Bearer ${this.profile.token}`,
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }),
      ...traceHeaders(process.env),
      ...call.headers,
    };
    const send = url.protocol === 'https:' ? httpsRequest() : httpRequest;
    return { url, headers, payload, send, socketPath: unix ? this.profile.url.slice('unix:'.length) : undefined };
  }

  /** Redirects are not followed, because the token is only for this address. */
  #toRedirectError(response: IncomingMessage): CliError {
    const { url, origin } = this.profile;
    const { location = '' } = response.headers;
    response.destroy();
    const where = URL.canParse(location, url) ? ` to ${new URL(location, url).origin}` : '';
    return new CliError(
      Exit.failed,
      'redirected',
      `${url} redirects${where}; the token is for ${url} and is not sent anywhere else`,
      `if that is your server, log in to it; otherwise, correct the address (from ${origin})`,
    );
  }

  async #readText(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.#body(response)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  async *#body(response: IncomingMessage): AsyncGenerator<Buffer, void> {
    const { url } = this.profile;
    try {
      for await (const chunk of response) yield chunk as Buffer;
    } catch (error) {
      // An error that the caller throws in its loop does not arrive here: a stream fails only by its connection.
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ABORT_ERR') throw error;
      throw new CliError(
        Exit.unreachable,
        'unreachable',
        `the response from ${url} is incomplete: ${code === 'ECONNRESET' ? 'the connection was closed' : message}`,
        'check the server with `svc doctor`, then try again',
      );
    }
  }

  #toUnreachableError(error: Error & { code?: string }): CliError {
    const reason = error.code === 'ECONNREFUSED' ? 'no server is listening at this address' : error.message;
    return new CliError(
      Exit.unreachable,
      'unreachable',
      `cannot reach ${this.profile.url}: ${reason}`,
      `start it (\`svc dev\` here, or \`svc serve\`), or correct the address (from ${this.profile.origin})`,
    );
  }
}

/** What to do when the server does not accept the token that the command has sent. */
function nextForToken({ url, token_origin }: Profile): string {
  if (token_origin === 'SVC_TOKEN') return 'set SVC_TOKEN to a valid token of this server; `svc doctor` checks it';
  const named = /\/profiles\/([\w-]+)\.json$/.exec(token_origin)?.[1];
  const profile = named === undefined ? '' : ` --profile ${named}`;
  return `replace the token: \`svc login --url ${url} --token -${profile}\` reads a new one`;
}

function toCliError(status: number, text: string, profile: Profile): CliError {
  let problem: Problem = {};
  try {
    problem = JSON.parse(text) as Problem;
  } catch {
    // The answer comes from a proxy and not from svc: only its status means something.
  }
  const exit =
    status === 401 ? Exit.notAuthenticated : status === 502 || status === 503 ? Exit.unreachable : Exit.failed;
  const details = (problem.errors ?? []).map((error) => `${error.pointer || '/'}: ${error.message}`);
  const message = problem.detail ?? problem.title ?? `the server answered ${status}`;
  const hint = status === 401 ? ` (the token comes from ${profile.token_origin})` : '';
  const is_token = status === 401 && (problem.code ?? 'not_authenticated') === 'not_authenticated';
  return new CliError(
    exit,
    problem.code ?? `http_${status}`,
    `${message}${hint}`,
    is_token ? nextForToken(profile) : (problem.next ?? 'see `svc doctor`'),
    details,
  );
}
