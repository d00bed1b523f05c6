import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { extensionPoint, token } from './tokens.ts';

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

/** Who calls: a person's (or CI's) token, or an agent's. */
export interface Principal {
  kind: 'user' | 'agent';
  /** `usr_…` for users, the token's id for agents. */
  id: string;
  name: string;
  token_id: string;
  /** The org an agent's token, or a token limited to one, belongs to. */
  org_id: string | null;
}

/** What the path's `:org` and `:project` came to, by name and by id. */
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
  /** Every value a string; a repeated key keeps the last. Validated against `Route.query`. */
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, validated against `Route.body`; undefined when the route takes none. */
  readonly body: unknown;
  /** The decoded bytes, for signatures. Empty when there was no body. */
  readonly raw: Buffer;
  readonly request_id: string;
  readonly ip: string;
  /** Undefined on public routes. */
  readonly principal: Principal | undefined;
  /** Set when the route's access is `org` (only the org members) or `project`. */
  readonly scope: Scope;
  /** Aborts when the caller goes away or the server stops. */
  readonly signal: AbortSignal;
}

export type HttpReply =
  | { status: number; json?: unknown; headers?: Record<string, string> }
  | { status: number; text: string; type: string; headers?: Record<string, string> }
  | { status: number; stream: Readable; type: string; headers?: Record<string, string> };

export interface Route {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `/api/v1/orgs/:org/projects/:project/runs/:run`. */
  path: string;
  /** camelCase, unique; names the operation in the OpenAPI document. */
  operation: string;
  summary: string;
  access: Access;
  query?: JsonSchema;
  /** Absent: a body is refused. Unknown members are always refused (`additionalProperties: false`). */
  body?: JsonSchema;
  /** Bytes after decompression. Default 1 MiB + 64 KiB. */
  body_limit?: number;
  /** Take any body as bytes in `raw` without parsing. */
  raw_body?: boolean;
  /** Not counted by the rate limits: for probes and scrapers. */
  unmetered?: boolean;
  /** Success answers by status. Problems are documented by the kernel. */
  responses: Readonly<Record<number, { description: string; schema?: JsonSchema; type?: string }>>;
  handle(request: HttpRequest): Promise<HttpReply>;
}

export const HttpRoutes = extensionPoint<Route>('kernel.HttpRoutes', {
  key: (route) => `${route.method} ${route.path}`,
  check: (route) => (route.path.startsWith('/') ? undefined : `path ${route.path} must start with /`),
});

/** A WebSocket endpoint. `accept` owns the socket from then on. */
export interface Upgrade {
  path: string;
  access: Access;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, principal: Principal): void;
  /**
   * The server stops: close the sockets in order. What is open at the bound is destroyed; without this member
   * sockets are destroyed as soon as the last request is answered.
   */
  drain?(): void;
}

export const HttpUpgrades = extensionPoint<Upgrade>('kernel.HttpUpgrades', { key: (upgrade) => upgrade.path });

/** Answers who calls and what they may do; bound by the access plugin, asked by the HTTP layer only. */
export interface AccessControl {
  /** Throws `not_authenticated`. `authorization` is the raw header. */
  authenticate(authorization: string | undefined, ip: string): Promise<Principal>;
  /** Throws `forbidden` where the role is too low and `not_found` where the caller is no member. */
  authorize(principal: Principal, access: Access, params: Readonly<Record<string, string>>): Promise<Scope>;
}

export const AccessControl = token<AccessControl>('kernel.AccessControl');

/** The address this server listens on, e.g. `http://127.0.0.1:8787`; known from the phase `listen` on. */
export interface HttpAddress {
  base_url(): string;
  /** `{public_url}` when set, else nothing: the spec wants `run_url` absent without it. */
  public_url(): string | undefined;
}

export const HttpAddress = token<HttpAddress>('kernel.HttpAddress');

/** A check of `GET /readyz`; throws with the reason when not ready. */
export interface HealthCheck {
  name: string;
  check(): Promise<void>;
}

export const HealthChecks = extensionPoint<HealthCheck>('kernel.HealthChecks', { key: (health) => health.name });

/** Static pages of the console: `path` is exact (`/`) or ends with `/*`. */
export interface ConsolePage {
  path: string;
  serve(path: string): Promise<{ body: Buffer; type: string } | undefined>;
}

export const ConsolePages = extensionPoint<ConsolePage>('kernel.ConsolePages', { key: (page) => page.path });
