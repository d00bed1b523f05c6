import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { extensionPoint, token } from './tokens.ts';
import { Turns } from './turns.ts';

export type JsonSchema = { readonly [key: string]: unknown };

export type OrgRole = 'owner' | 'member';
export type ProjectRole = 'viewer' | 'member' | 'admin';

/**
 * Who may call a route. Every route names its rule; the table of them is the policy and there is no default
 * but refusal.
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

/** Where the paths of a project's routes begin. */
export const SCOPED = '/api/v1/orgs/:org/projects/:project';

/** The caller: a person's (or CI's) token, an agent's token, or a person in a console session. */
export interface Principal {
  kind: 'user' | 'agent';
  /** `usr_…` for users, the token's id for agents. */
  id: string;
  name: string;
  /** In a session: the token that it was made from, or the session itself when there was none. */
  token_id: string;
  session_id?: string;
  /** The org of an agent's token, or of a token limited to one org; and the project of an agent's token limited to one. */
  org_id: string | null;
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
  /** Every value is a string; of a repeated key the last is kept. Validated against `Route.query`. */
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
  /** For answers that last: throws what a new request would be refused with. Counts as one for the rate limits. */
  admitted(): Promise<void>;
}

/** The caller of a route that is not public. */
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
  /** Absent: a body is refused. Unknown members are always refused (`additionalProperties: false`). */
  body?: JsonSchema;
  /** Bytes after decompression. Default 1 MiB + 64 KiB. */
  body_limit?: number;
  /** Accepts any body as bytes in `raw`, without parsing. */
  raw_body?: boolean;
  /** Gives any body, which must not be compressed, unread as `content`, so that it is never whole in memory. */
  stream_body?: boolean;
  /**
   * Answers with streams that last or may be large. A caller has so many of them at once, and is refused more with
   * `rate_limited`. A route whose streams have places of their own leaves it out.
   */
  streams?: boolean;
  /** Headers of requests that the route reads, for the interface's document: name → description. */
  headers?: Readonly<Record<string, string>>;
  /** Exempt from rate limits: for probes and scrapers. */
  unmetered?: boolean;
  /** Successful answers by status. Problems are documented by the HTTP plugin. */
  responses: Readonly<Record<number, { description: string; schema?: JsonSchema; type?: string }>>;
  handle(request: HttpRequest): Promise<HttpReply>;
}

export const HttpRoutes = extensionPoint<Route>('kernel.HttpRoutes', {
  key: (route) => `${route.method} ${route.path}`,
  check: (route) => (route.path.startsWith('/') ? undefined : `path ${route.path} must start with /`),
});

/** Answers with a whole document that are made at a time: each may have megabytes, and much more as values. */
const documents = new Turns(4);
/** The same of pages that are filled up to their limit of bytes. */
const pages = new Turns(8);

/** A route whose answer is a whole document: few are read at a time, so that many requests at once need no more memory. */
export const documentRoute = (route: Route): Route => ({
  ...route,
  handle: (request) => documents.take(() => route.handle(request)),
});

/** A list whose pages may have megabytes. */
export const largePages = (route: Route): Route => ({
  ...route,
  handle: (request) => pages.take(() => route.handle(request)),
});

/** A WebSocket endpoint. `accept` owns the socket. */
export interface Upgrade {
  path: string;
  access: Access;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, caller: { principal: Principal; ip: string }): void;
  /**
   * Called when the server stops, to close the sockets in order. Sockets that are open at the time limit are destroyed.
   * Without this member sockets are destroyed as soon as the last request is answered.
   */
  drain?(): void;
}

export const HttpUpgrades = extensionPoint<Upgrade>('kernel.HttpUpgrades', { key: (upgrade) => upgrade.path });

/** Decides who calls and what they may do. The access plugin binds it. The HTTP layer asks it, and whoever needs a higher role for a part of what a route does. */
export interface AccessControl {
  /** Throws `not_authenticated`. `authorization` is the raw header. */
  authenticate(authorization: string | undefined, ip: string): Promise<Principal>;
  /** Throws `forbidden` (role too low), `not_found` (no member), `not_authenticated` (token or session has ended). */
  authorize(principal: Principal, access: Access, params: Readonly<Record<string, string>>): Promise<Scope>;
}

export const AccessControl = token<AccessControl>('kernel.AccessControl');

/** The address of this server, for example `http://127.0.0.1:8787`. Known from the phase `listen` on. */
export interface HttpAddress {
  base_url(): string;
  /** `SVC_PUBLIC_URL` when it is set; the specification wants `run_url` absent without it. */
  public_url(): string | undefined;
}

export const HttpAddress = token<HttpAddress>('kernel.HttpAddress');

/** A check of `GET /readyz`. Throws with the reason when not ready. */
export interface HealthCheck {
  name: string;
  check(): Promise<void>;
}

export const HealthChecks = extensionPoint<HealthCheck>('kernel.HealthChecks', { key: (health) => health.name });
