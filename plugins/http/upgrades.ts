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
} from '../../kernel/contracts/index.ts';
import type { CallerRates } from './caller-rates.ts';
import { HttpErrors } from './errors.ts';
import { requestId } from './exchange.ts';
import type { AddressReader } from './far-address.ts';
import type { HttpLimits } from './limits.ts';
import { refuseRaw, toProblem, visible } from './problem.ts';
import { originForm, screen, splitTarget } from './screen.ts';

export interface Upgrading {
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

interface Matched {
  upgrade: Upgrade;
  params: Record<string, string>;
}

/**
 * WebSocket endpoints: admitted like routes, then handed to their owner. Open sockets are tracked so that they can be
 * closed at the end.
 */
export class Upgrades {
  readonly #use: Upgrading;
  readonly #sockets = new Set<Duplex>();

  constructor(use: Upgrading) {
    this.#use = use;
  }

  /** True when an upgrade request belongs here; others are answered like ordinary requests. */
  wants(request: IncomingMessage): boolean {
    return (
      request.headers.upgrade?.toLowerCase() === 'websocket' &&
      this.#match(splitTarget(request.url ?? '').path) !== undefined
    );
  }

  /** A plain GET of such a path, so that the caller learns what to do instead of getting 404. */
  routes(): Route[] {
    return this.#use.upgrades.map((upgrade) => ({
      method: 'GET',
      path: upgrade.path,
      operation: operationOf(upgrade.path),
      summary: 'WebSocket endpoint',
      access: upgrade.access,
      responses: { 101: { description: 'The connection is a WebSocket from here on.' } },
      handle: () => Promise.reject(HttpErrors.upgradeRequired(`${upgrade.path} accepts only WebSocket connections`)),
    }));
  }

  async handle(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { ids, clock, log } = this.#use;
    const started = clock.monotonic();
    request.url = originForm(request.url ?? '');
    const id = requestId(request, ids);
    this.#keep(socket);
    let route = '(none)';
    let status = 101;
    let principal: Principal | undefined;
    try {
      const { upgrade, params } = this.#find(request);
      route = upgrade.path;
      principal = await this.#admit(request, upgrade, params);
      if (this.#use.draining()) throw Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });
      if (!socket.destroyed) upgrade.accept(request, socket, head, { principal, ip: this.#use.addressOf(request) });
    } catch (error) {
      const problem = toProblem(visible(error), id, request.headers.authorization !== undefined);
      status = problem.status;
      if (status === 500) log.error({ request_id: id, route, stack: (error as Error).stack }, 'an upgrade failed');
      refuseRaw(socket, { ...problem, headers: { 'X-Request-Id': id, ...problem.headers } }, this.#use);
    }
    const duration_ms = Math.round((clock.monotonic() - started) * 1000) / 1000;
    log.info(
      { request_id: id, method: request.method, route, status, duration_ms, principal: principal?.id },
      'upgrade',
    );
  }

  /** Tells the owners of open sockets that the server stops; they may still send a last message. */
  drain(): void {
    for (const upgrade of this.#use.upgrades) upgrade.drain?.();
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** True when an owner drains its sockets itself. */
  get graceful(): boolean {
    return this.#use.upgrades.some((upgrade) => upgrade.drain !== undefined);
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A socket without an error listener would end the process; this one serves until the owner adds its own, and for
    // refused sockets.
    socket.on('error', (error) => this.#use.log.debug({ reason: error.message }, 'an upgraded socket failed'));
  }

  #find(request: IncomingMessage): Matched {
    const fault = screen(request, this.#use.limits);
    if (fault) throw fault;
    const found = this.#match(splitTarget(request.url ?? '').path);
    if (!found) throw Errors.notFound('no WebSocket endpoint has this path');
    if (request.method !== 'GET') throw Errors.methodNotAllowed('a WebSocket request must use GET');
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      throw HttpErrors.upgradeRequired(`${found.upgrade.path} accepts only WebSocket connections`);
    const params = Object.entries(found.params).map(([name, text]) => [name, decodeURIComponent(text)] as const);
    return { upgrade: found.upgrade, params: Object.fromEntries(params) };
  }

  #match(path: string): Matched | undefined {
    const given = path.split('/');
    for (const upgrade of this.#use.upgrades) {
      const params = matchPath(upgrade.path.split('/'), given);
      if (params) return { upgrade, params };
    }
    return undefined;
  }

  async #admit(request: IncomingMessage, { access }: Upgrade, params: Record<string, string>): Promise<Principal> {
    const { rates, addressOf } = this.#use;
    const control = this.#use.control();
    const { authorization } = request.headers;
    const address = addressOf(request);
    // All agents reconnect at once after a restart and are never rate-limited; guessing their tokens is.
    const principal = await rates.authenticate(address, authorization, () =>
      control.authenticate(authorization, address),
    );
    await control.authorize(principal, access, params);
    return principal;
  }
}

/** The parameters as sent; the target was screened before. */
function matchPath(pattern: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(':') && given[at] !== '') params[part.slice(1)] = given[at]!;
    else if (part !== given[at]) return undefined;
  }
  return params;
}

/** `/api/v1/agents/connect` → `upgradeAgentsConnect`. */
function operationOf(path: string): string {
  const words = path
    .split('/')
    .filter((part) => part !== '' && part !== 'api' && part !== 'v1' && !part.startsWith(':'));
  return `upgrade${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`;
}
