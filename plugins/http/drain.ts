import type { Server } from 'node:http';
import { type Cancel, type Clock, Errors } from '../../kernel/contracts/index.ts';
import type { Exchange } from './exchange.ts';
import type { Listening } from './listen.ts';
import type { Upgrades } from './upgrades.ts';

export interface Draining {
  server: Server;
  listening: Listening;
  clock: Clock;
  upgrades: Upgrades;
  /** Requests without an answer yet. */
  exchanges: ReadonlySet<Exchange>;
  tick_ms: number;
}

/** Why requests that wait end early. */
export const stopping = () => Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });

/**
 * Stops accepting, ends requests that wait (followed logs, long polls), lets the others finish, and closes what is left
 * at the time limit. Resolves when no connection is open.
 */
export function drain(
  { server, listening, clock, upgrades, exchanges, tick_ms }: Draining,
  bound_ms: number,
): Promise<void> {
  return new Promise((resolve) => {
    let tick: Cancel = () => undefined;
    const bound = clock.after(bound_ms, () => {
      server.closeAllConnections();
      upgrades.destroy();
    });
    const onTick = () => {
      server.closeIdleConnections();
      // An owner with `drain` may keep its sockets until the time limit. An owner without it learns of the stop when
      // its sockets are closed.
      if (exchanges.size === 0 && !upgrades.graceful) upgrades.destroy();
      tick = clock.after(tick_ms, onTick);
    };
    void listening.close().then(() => {
      bound();
      tick();
      resolve();
    });
    for (const exchange of exchanges) exchange.abort(stopping());
    upgrades.drain();
    onTick();
  });
}
