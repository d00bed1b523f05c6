import { type Agent, request } from 'node:http';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import {
  AccessControl,
  Clock,
  Errors,
  type HealthCheck,
  HealthChecks,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type Principal,
  type Resolve,
  type Route,
  Settings,
  type Upgrade,
  webSocketRoute,
} from '../../../../kernel/contracts/index.ts';
import { Tracing } from '../../tracing/contract.ts';
import { type CallerSource, CallerSources, type HttpPage, HttpPages } from '../contract.ts';
import { createMetrics } from '../metrics.ts';
import { type HttpServerOptions, HttpServer } from '../server.ts';

export interface Line {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

export interface TestParts extends HttpServerOptions {
  routes?: readonly Route[];
  upgrades?: readonly Upgrade[];
  checks?: readonly HealthCheck[];
  pages?: readonly HttpPage[];
  sources?: readonly CallerSource[];
  settings?: Partial<Settings>;
  control?: AccessControl;
  clock?: Clock;
}

const PEOPLE: Record<string, Principal> = {
  'Bearer svc_pat_ada': { kind: 'user', id: 'usr_ada', name: 'ada', token_id: 'tok_ada', org_id: null },
  'Bearer svc_agt_one': { kind: 'agent', id: 'tok_one', name: 'one', token_id: 'tok_one', org_id: 'org_1' },
};

/** Knows ada and one agent. Ada may do everything in acme/main that needs no admin. */
export const control: AccessControl = {
  async authenticate(authorization) {
    const principal = PEOPLE[authorization ?? ''];
    if (!principal) throw Errors.notAuthenticated('the token is not known');
    return principal;
  },
  async authorize(principal, access, params) {
    if ((access.kind === 'agent') !== (principal.kind === 'agent')) throw Errors.forbidden('wrong kind of token');
    if (params.org !== undefined && params.org !== 'acme') throw Errors.notFound('no such org');
    if (access.kind === 'project' && access.role === 'admin') throw Errors.forbidden('needs the role admin');
    return { org_id: 'org_1', org: params.org ?? '', project_id: 'prj_1', project: params.project ?? '' };
  },
};

export const ADA = { authorization: 'Bearer svc_pat_ada' };

/** The real HTTP layer with the services that it needs; only access control is a stand-in. */
export function assemble(parts: TestParts): { http: HttpServer; lines: Line[] } {
  const lines: Line[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ level, fields, message });
  };
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  let count = 0;
  const services = new Map<object, unknown>([
    [Tracing, { on: undefined }],
    [Settings, { host: '127.0.0.1', port: 0, socket_path: undefined, version: '0.1.0', env: {}, ...parts.settings }],
    [Log, log],
    [Clock, parts.clock ?? testClock],
    [Ids, { next: (prefix: string) => `${prefix}_${++count}`, bytes: (size: number) => Buffer.alloc(size) }],
    [Metrics, createMetrics()],
    [AccessControl, parts.control ?? control],
    [HttpRoutes, [...(parts.routes ?? []), ...(parts.upgrades ?? []).map(webSocketRoute)]],
    [HealthChecks, parts.checks ?? []],
    [HttpPages, parts.pages ?? []],
    [CallerSources, parts.sources ?? []],
  ]);
  const use = Object.assign((token: object) => services.get(token), {
    all: (point: object) => services.get(point),
  }) as unknown as Resolve;
  return { http: new HttpServer(use, parts), lines };
}

const testClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delay_ms, run, options) {
    const timer = setTimeout(run, delay_ms);
    if (options?.unref) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** A GET route that answers JSON, with the changes of a test. */
export function route(changes: Partial<Route> & Pick<Route, 'path'>): Route {
  return {
    method: 'GET',
    operation: `op${changes.method ?? 'GET'}${changes.path.replace(/\W/g, '')}`,
    summary: 'A route of a test',
    access: { kind: 'public' },
    responses: { 200: { description: 'Well.' } },
    handle: async () => ({ status: 200, json: { ok: true } }),
    ...changes,
  };
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The text parsed as JSON, if it is JSON. */
  json: Record<string, unknown>;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  agent?: Agent;
}

/** Sends one request with node:http, which sends exactly what it is given. */
export function ask(
  base_url: string,
  path: string,
  { method = 'GET', headers = {}, body, agent }: Ask = {},
): Promise<Answer> {
  const { hostname, port } = new URL(base_url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(chunks).toString())),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function answerOf(status: number, headers: Answer['headers'], text: string): Answer {
  const isJson = String(headers['content-type']).includes('json');
  return { status, headers, text, json: isJson && text !== '' ? (JSON.parse(text) as Answer['json']) : {} };
}

/** Sends raw bytes and answers everything that is received until the server closes. */
export function sendRaw(base_url: string, bytes: string | Buffer, { end = false } = {}): Promise<string> {
  const { hostname, port } = new URL(base_url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    // A reset after the answer counts as a close.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write(bytes);
    if (end) socket.end();
  });
}

export const JSON_TYPE = { 'content-type': 'application/json' };

export function postJson(
  base_url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return ask(base_url, path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: text });
}
