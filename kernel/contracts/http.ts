import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { Errors, ServiceError } from './errors.ts';
import { extensionPoint, movedPoint, token } from './tokens.ts';
import { FairSemaphore } from './fair-semaphore.ts';

export type JsonSchema = { readonly [key: string]: unknown };

export type OrgRole = 'owner' | 'member';
export type ProjectRole = 'viewer' | 'member' | 'admin';

/**
 * Who may call a route. Every route names its rule, and together these rules are the policy: there is no default.
 * - `public`: anybody
 * - `user`: any valid person's token
 * - `org`: a token of that org (`:org` in the path) with at least `role`
 * - `project`: a token that reaches that project (`:org`, `:project`) with at least `role`
 * - `agent`: an agent's token
 */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'user' }
  | { readonly kind: 'org'; readonly role: OrgRole }
  | { readonly kind: 'project'; readonly role: ProjectRole }
  | { readonly kind: 'agent' };

export const USER: Access = { kind: 'user' };
export const VIEWER: Access = { kind: 'project', role: 'viewer' };
export const MEMBER: Access = { kind: 'project', role: 'member' };
export const ADMIN: Access = { kind: 'project', role: 'admin' };

/** The prefix of every path of a project. */
export const SCOPED = '/api/v1/orgs/:org/projects/:project';

/** The caller: a person's (or CI's) token, an agent's token, or a person in a console session. */
export interface Principal {
  kind: 'user' | 'agent';
  /** `usr_…` for users, the token's id for agents. */
  id: string;
  name: string;
  /** The token in use. In a session: the token that the session was created from, or else the id of the session. */
  token_id: string;
  session_id?: string;
  /** The org of an agent's token, or of a token that is limited to one org. */
  org_id: string | null;
  /** The project of an agent's token that is limited to one. */
  project_id?: string | null;
}

/** The org and project of the path, by name and by id. */
export interface Scope {
  org_id: string;
  org: string;
  project_id: string;
  project: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Validated against `Route.query`. Every value is a string; the last one of a repeated key wins. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON, validated against `Route.body`; undefined when the route takes no body. */
  readonly body: unknown;
  /** The decoded bytes, for signatures. Empty without a body. */
  readonly raw: Buffer;
  /**
   * The body of a route with `stream_body`, to be read once; undefined on others. Reading throws `request_timeout`,
   * `payload_too_large`, an error when the caller disconnects, and `unavailable` when the server stops.
   */
  readonly content?: AsyncIterable<Buffer>;
  readonly request_id: string;
  readonly ip: string;
  /** Undefined on public routes. */
  readonly principal: Principal | undefined;
  /** Set when the route's access is `org` (only the org members are set) or `project`. */
  readonly scope: Scope;
  /** Aborts when the caller disconnects or the server stops. */
  readonly signal: AbortSignal;
  /**
   * For long-lived answers: throws the error that a new request of this caller would get. Counts as a request for the rate
   * limits.
   */
  admitted(): Promise<void>;
}

/** Returns the caller of a route that is not public. */
export function callerOf({ principal, method, path }: HttpRequest): Principal {
  if (!principal) throw new Error(`${method} ${path} reached its handler without a principal`);
  return principal;
}

export type HttpReply =
  | { status: number; json?: unknown; headers?: Record<string, string> }
  | { status: number; text: string; type: string; headers?: Record<string, string> }
  | { status: number; stream: Readable; type: string; headers?: Record<string, string> };

export interface Route {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `/api/v1/orgs/:org/projects/:project/runs/:run`. A final `*` takes the rest, slashes too, as `params['*']`. */
  path: string;
  /** camelCase and unique: the operation's name in the OpenAPI document. */
  operation: string;
  summary: string;
  access: Access;
  query?: JsonSchema;
  /** Without it a body is rejected. Unknown members are always rejected (`additionalProperties: false`). */
  body?: JsonSchema;
  /** Bytes after decompression. Default 1 MiB + 64 KiB. */
  body_limit?: number;
  /** Accepts any body as bytes in `raw`, without parsing. */
  raw_body?: boolean;
  /** Passes any uncompressed body on as the stream `content`, so that it is never in memory as a whole. */
  stream_body?: boolean;
  /** Set when the handler of a route with `stream_body` buffers what it reads, so that the body counts as one in memory. */
  buffers_body?: boolean;
  /**
   * The route answers with streams that are long-lived or large. A caller may have a limited number of them open; further
   * ones fail with `rate_limited`. Leave it out for a route that limits its streams itself.
   */
  streams?: boolean;
  /** The request headers that the route reads, for the OpenAPI document: name → description. */
  headers?: Readonly<Record<string, string>>;
  /** Exempt from rate limits: for probes and scrapers. */
  unmetered?: boolean;
  /** Successful answers by status. Problems are documented by the HTTP plugin. */
  responses: Readonly<Record<number, { description: string; schema?: JsonSchema; type?: string }>>;
  handle(request: HttpRequest): Promise<HttpReply>;
  /** Set on a WebSocket endpoint, which `webSocketRoute` makes. */
  upgrade?: Upgrade;
}

export const HttpRoutes = extensionPoint<Route>('kernel.HttpRoutes', {
  key: (route) => `${route.method} ${route.path}`,
  check: (route) => (route.path.startsWith('/') ? undefined : `path ${route.path} must start with /`),
});

/** Limits how many documents are read at once: each may have megabytes, and takes a multiple of that when parsed. */
const documents = new FairSemaphore(4);
/** Limits how many pages of a large list are built at once. */
const pages = new FairSemaphore(8);

/** A route that answers with one large document. Only a few are served at a time, so that a burst needs no more memory. */
export const documentRoute = (route: Route): Route => limitConcurrency(documents, route);

/** A list whose pages may have megabytes. Only a few are built at a time. */
export const largePages = (route: Route): Route => limitConcurrency(pages, route);

/** Serves callers round-robin, however many requests one of them sends at once. Reads nothing for a caller that has disconnected. */
const limitConcurrency = (semaphore: FairSemaphore, route: Route): Route => ({
  ...route,
  handle: (request) =>
    semaphore.run(() => {
      const { signal } = request;
      // A server that stops lets answers end.
      if (signal.aborted && !(signal.reason instanceof ServiceError)) throw signal.reason;
      return route.handle(request);
    }, request.principal?.id),
});

/** A WebSocket endpoint. `accept` owns the socket. */
export interface Upgrade {
  path: string;
  access: Access;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, caller: { principal: Principal; ip: string }): void;
  /**
   * Called when the server stops, so that the owner can close its sockets in order. Sockets that are still open at the time
   * limit are destroyed. Without this method, sockets are destroyed as soon as the last request is answered.
   */
  drain?(): void;
}

/** The route of a WebSocket endpoint. A request that does not upgrade learns what to do instead of getting 404. */
export const webSocketRoute = (upgrade: Upgrade): Route => ({
  method: 'GET',
  path: upgrade.path,
  operation: upgradeOperation(upgrade.path),
  summary: 'WebSocket endpoint',
  access: upgrade.access,
  responses: { 101: { description: 'The connection becomes a WebSocket.' } },
  handle: () => Promise.reject(Errors.upgradeRequired(`${upgrade.path} accepts only WebSocket connections`)),
  upgrade,
});

/** `/api/v1/agents/connect` → `upgradeAgentsConnect`. */
function upgradeOperation(path: string): string {
  const words = path
    .split('/')
    .filter((word) => word !== '' && word !== 'api' && word !== 'v1' && !word.startsWith(':'));
  return `upgrade${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`;
}

/** @deprecated Contribute `webSocketRoute(…)` to `HttpRoutes`. Version 0.4.0 removes this point. */
export const HttpUpgrades = movedPoint('kernel.HttpUpgrades', HttpRoutes, webSocketRoute);

/**
 * Decides who is calling and what they may do. The access plugin binds it. The HTTP layer calls it for every request, and so
 * does code that needs a higher role for some of what a route does.
 */
export interface AccessControl {
  /** Throws `not_authenticated`. `authorization` is the raw header. */
  authenticate(authorization: string | undefined, ip: string): Promise<Principal>;
  /**
   * Throws `forbidden` when the role is too low, `not_found` when the caller is not a member, and `not_authenticated` when
   * the token or session has ended.
   */
  authorize(principal: Principal, access: Access, params: Readonly<Record<string, string>>): Promise<Scope>;
}

export const AccessControl = token<AccessControl>('kernel.AccessControl');

/** The address of this server, for example `http://127.0.0.1:8787`. It is known from the phase `listen` on. */
export interface HttpAddress {
  base_url(): string;
  /** `SVC_PUBLIC_URL`, if it is set. Without it, `run_url` is absent, as the specification demands. */
  public_url(): string | undefined;
}

export const HttpAddress = token<HttpAddress>('kernel.HttpAddress');

/** A check of `GET /readyz`. It throws the reason when the server is not ready. */
export interface HealthCheck {
  name: string;
  check(): Promise<void>;
}

export const HealthChecks = extensionPoint<HealthCheck>('kernel.HealthChecks', { key: (health) => health.name });
