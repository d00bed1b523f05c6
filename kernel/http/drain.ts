import type { Server } from 'node:http';
import { type Cancel, type Clock, Errors } from '../contracts/index.ts';
import type { Exchange } from './exchange.ts';
import type { Upgrades } from './upgrades.ts';

export interface Draining {
  server: Server;
  clock: Clock;
  upgrades: Upgrades;
  /** Requests that are not answered yet. */
  exchanges: ReadonlySet<Exchange>;
  tick_ms: number;
}

/**
 * Stops accepting, ends what waits (followed logs, long polls), lets the rest finish, and cuts what is left at the
 * bound. Resolves when no connection is open.
 */
export function drain({ server, clock, upgrades, exchanges, tick_ms }: Draining, bound_ms: number): Promise<void> {
  return new Promise((resolve) => {
    let tick: Cancel = () => undefined;
    const bound = clock.after(bound_ms, () => {
      server.closeAllConnections();
      upgrades.destroy();
    });
    const onTick = () => {
      server.closeIdleConnections();
      // An owner that was told and keeps its sockets gets until the bound; one without `drain` is told by the cut.
      if (exchanges.size === 0 && !upgrades.graceful) upgrades.destroy();
      tick = clock.after(tick_ms, onTick);
    };
    server.close(() => {
      bound();
      tick();
      resolve();
    });
    const stopping = Errors.unavailable('the server is stopping', { retryAfterMs: 1000 });
    for (const exchange of exchanges) exchange.abort(stopping);
    upgrades.drain();
    onTick();
  });
}
