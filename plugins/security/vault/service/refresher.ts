import type { Cancel, Clock, Log, Stop } from '../../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { type Keyring, REFRESH_MS } from './keyring.ts';

/**
 * Looks for rotated keys every few seconds until stopped. If the database is unavailable, it tries again at the next
 * interval.
 */
export function startRefresher(keyring: Keyring, clock: Clock, log: Log): Stop {
  let cancel: Cancel | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const arm = () => {
    if (!stopped) cancel = clock.after(REFRESH_MS, tick, { unref: true });
  };
  const tick = () => {
    running = keyring
      .refresh()
      .catch((error: unknown) => {
        const code = isServiceError(error) ? error.code : 'internal';
        log.warn({ code }, 'refreshing org keys failed; retrying');
      })
      .then(arm);
  };
  arm();
  return async () => {
    stopped = true;
    cancel?.();
    await running;
  };
}
