import type { Server } from 'node:http';
import { type Cancel, type Clock, Errors } from '../../../kernel/contracts/index.ts';
import type { RequestContext } from './request-context.ts';
import type { Listening } from './listen.ts';
import type { Upgrades } from './upgrades.ts';

export interface DrainOptions {
  server: Server;
  listening: Listening;
  clock: Clock;
  upgrades: Upgrades;
  /** The requests in flight. */
  requests: ReadonlySet<RequestContext>;
  tick_ms: number;
}

/** The error with which waiting requests end early. */
export const serverStopping = () => Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });

/**
 * Stops accepting connections, ends requests that wait (followed logs, long polls), lets the others finish, and closes what is
 * left at the time limit. Resolves when no connection is open.
 */
export function drain(
  { server, listening, clock, upgrades, requests, tick_ms }: DrainOptions,
  bound_ms: number,
): Promise<void> {
  return new Promise((resolve) => {
    let tick: Cancel = () => undefined;
    const timeout = clock.after(bound_ms, () => {
      server.closeAllConnections();
      upgrades.destroy();
    });
    const onTick = () => {
      server.closeIdleConnections();
      // An owner with `drain` may keep its sockets until the time limit. An owner without it learns of the stop when
      // its sockets are closed.
      if (requests.size === 0 && !upgrades.graceful) upgrades.destroy();
      tick = clock.after(tick_ms, onTick);
    };
    void listening.close().then(() => {
      timeout();
      tick();
      resolve();
    });
    for (const context of requests) context.abort(serverStopping());
    upgrades.drain();
    onTick();
  });
}
