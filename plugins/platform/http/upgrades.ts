import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type AccessControl,
  type Clock,
  Errors,
  type Ids,
  type Log,
  type Principal,
  type Route,
  type Upgrade,
} from '../../../kernel/contracts/index.ts';
import type { CallerRates } from './caller-rates.ts';
import { HttpErrors } from './errors.ts';
import { requestId } from './request-context.ts';
import type { AddressReader } from './client-address.ts';
import type { HttpLimits } from './limits.ts';
import { rejectRaw, toProblem, toPublicError } from './problem.ts';
import { originForm, checkRequest, splitTarget } from './check-request.ts';

export interface UpgradesOptions {
  upgrades: readonly Upgrade[];
  control: () => AccessControl;
  rates: CallerRates;
  addressOf: AddressReader;
  clock: Clock;
  ids: Ids;
  log: Log;
  limits: HttpLimits;
  draining(): boolean;
}

interface MatchedUpgrade {
  upgrade: Upgrade;
  params: Record<string, string>;
}

/**
 * The WebSocket endpoints. Their requests are admitted like those of routes, and their sockets are passed to their owner. Open
 * sockets are tracked, so that they can be closed when the server stops.
 */
export class Upgrades {
  readonly #options: UpgradesOptions;
  readonly #sockets = new Set<Duplex>();

  constructor(options: UpgradesOptions) {
    this.#options = options;
  }

  /** True when an upgrade request matches an endpoint. Others are answered like ordinary requests. */
  matches(request: IncomingMessage): boolean {
    return (
      request.headers.upgrade?.toLowerCase() === 'websocket' &&
      this.#match(splitTarget(request.url ?? '').path) !== undefined
    );
  }

  /** Routes for a plain GET of these paths, so that the caller learns what to do instead of getting 404. */
  routes(): Route[] {
    return this.#options.upgrades.map((upgrade) => ({
      method: 'GET',
      path: upgrade.path,
      operation: operationOf(upgrade.path),
      summary: 'WebSocket endpoint',
      access: upgrade.access,
      responses: { 101: { description: 'The connection becomes a WebSocket.' } },
      handle: () => Promise.reject(HttpErrors.upgradeRequired(`${upgrade.path} accepts only WebSocket connections`)),
    }));
  }

  async handle(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { ids, clock, log } = this.#options;
    const started = clock.monotonic();
    request.url = originForm(request.url ?? '');
    const id = requestId(request, ids);
    this.#trackSocket(socket);
    let route = '(none)';
    let status = 101;
    let principal: Principal | undefined;
    try {
      const { upgrade, params } = this.#findUpgrade(request);
      route = upgrade.path;
      principal = await this.#admit(request, upgrade, params);
      if (this.#options.draining()) throw Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });
      if (!socket.destroyed) upgrade.accept(request, socket, head, { principal, ip: this.#options.addressOf(request) });
    } catch (error) {
      const problem = toProblem(toPublicError(error), id, request.headers.authorization !== undefined);
      status = problem.status;
      if (status === 500) log.error({ request_id: id, route, stack: (error as Error).stack }, 'an upgrade failed');
      rejectRaw(socket, { ...problem, headers: { 'X-Request-Id': id, ...problem.headers } }, this.#options);
    }
    const duration_ms = Math.round((clock.monotonic() - started) * 1000) / 1000;
    log.info(
      { request_id: id, method: request.method, route, status, duration_ms, principal: principal?.id },
      'upgrade',
    );
  }

  /** Tells the owners of open sockets that the server stops; they may still send a last message. */
  drain(): void {
    for (const upgrade of this.#options.upgrades) upgrade.drain?.();
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** True when an owner drains its sockets itself. */
  get graceful(): boolean {
    return this.#options.upgrades.some((upgrade) => upgrade.drain !== undefined);
  }

  #trackSocket(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A socket without an error listener would end the process. This one serves until the owner adds its own, and for
    // sockets that were rejected.
    socket.on('error', (error) => this.#options.log.debug({ reason: error.message }, 'an upgraded socket failed'));
  }

  #findUpgrade(request: IncomingMessage): MatchedUpgrade {
    const rejection = checkRequest(request, this.#options.limits);
    if (rejection) throw rejection;
    const matched = this.#match(splitTarget(request.url ?? '').path);
    if (!matched) throw Errors.notFound('no WebSocket endpoint has this path');
    if (request.method !== 'GET') throw Errors.methodNotAllowed('a WebSocket request must use GET');
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      throw HttpErrors.upgradeRequired(`${matched.upgrade.path} accepts only WebSocket connections`);
    const params = Object.entries(matched.params).map(([name, text]) => [name, decodeURIComponent(text)] as const);
    return { upgrade: matched.upgrade, params: Object.fromEntries(params) };
  }

  #match(path: string): MatchedUpgrade | undefined {
    const segments = path.split('/');
    for (const upgrade of this.#options.upgrades) {
      const params = matchPath(upgrade.path.split('/'), segments);
      if (params) return { upgrade, params };
    }
    return undefined;
  }

  async #admit(request: IncomingMessage, { access }: Upgrade, params: Record<string, string>): Promise<Principal> {
    const { rates, addressOf } = this.#options;
    const control = this.#options.control();
    const { authorization } = request.headers;
    const address = addressOf(request);
    // All agents reconnect at once after a restart, so only failed authentications are rate-limited.
    const principal = await rates.authenticate(address, authorization, () =>
      control.authenticate(authorization, address),
    );
    await control.authorize(principal, access, params);
    return principal;
  }
}

/** Returns the parameters as they were sent. The target has been screened already. */
function matchPath(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of pattern.entries()) {
    if (segment.startsWith(':') && segments[at] !== '') params[segment.slice(1)] = segments[at]!;
    else if (segment !== segments[at]) return undefined;
  }
  return params;
}

/** `/api/v1/agents/connect` → `upgradeAgentsConnect`. */
function operationOf(path: string): string {
  const words = path
    .split('/')
    .filter((word) => word !== '' && word !== 'api' && word !== 'v1' && !word.startsWith(':'));
  return `upgrade${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`;
}
