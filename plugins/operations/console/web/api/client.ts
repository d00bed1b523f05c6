import { parseExact } from '../../../../platform/schema/contract/exact-json.ts';

/** What the server says of a request that it does not carry out (RFC 9457). */
interface Problem {
  title?: string;
  detail?: string;
  code?: string;
  next?: string;
  request_id?: string;
  errors?: { pointer: string; message: string }[];
}

export class Refusal extends Error {
  readonly status: number;
  readonly problem: Problem;

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? problem.title ?? `The server answered ${status}.`);
    this.name = 'Refusal';
    this.status = status;
    this.problem = problem;
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause });
    this.name = 'Unreachable';
  }
}

let csrf = '';
let lost: (sentIn: string) => void = () => undefined;
let stale: () => void = () => undefined;

/** The token of the session that every write must show. It stays in this page's memory. */
export function keepCsrf(token: string): void {
  csrf = token;
}

/**
 * Called when an answer says that the session of its request is over. The browser may have another one by now: the request
 * was sent before somebody signed in, here or in another tab. `sentIn` is the CSRF token of the session of the request.
 */
export function onSessionLost(listen: (sentIn: string) => void): void {
  lost = listen;
}

/** Called when a write was refused because another tab of this browser has begun another session. */
export function onSessionStale(listen: () => void): void {
  stale = listen;
}

export interface Asked {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** It asks for the session itself: that there is none is its answer. */
  forSession?: boolean;
}

async function send(path: string, { method = 'GET', body, headers, signal }: Asked): Promise<Response> {
  const init: RequestInit = { method, cache: 'no-store', credentials: 'same-origin', headers: { ...headers } };
  const own = init.headers as Record<string, string>;
  if (body !== undefined) {
    own['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  if (method !== 'GET' && csrf) own['x-svc-csrf'] = csrf;
  if (signal) init.signal = signal;
  try {
    return await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(error);
  }
}

/** The response of a request that was carried out. Throws `Refusal` and `Unreachable`. */
export async function ask(path: string, asked: Asked = {}): Promise<Response> {
  const sentIn = csrf;
  const response = await send(path, asked);
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as Problem;
  if (response.status === 401 && !asked.forSession) lost(sentIn);
  if (problem.code === 'csrf_failed') stale();
  throw new Refusal(response.status, problem);
}

/** The JSON of an answer; undefined when it has none. */
export async function json<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await ask(path, asked);
  return (response.status === 204 ? undefined : parseExact(await response.text())) as T;
}
