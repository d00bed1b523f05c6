import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import { isServiceError, Log } from '../contracts/index.ts';
import type { Kernel } from './kernel.ts';

/** Exit statuses of a process that ends by itself: the CLI's for "not authenticated", and sysexits' EX_SOFTWARE. */
const EXIT_NOT_AUTHENTICATED = 4;
const EXIT_INTERNAL = 70;

type PrintLine = (text: string) => void;
type Ready = (kernel: Kernel) => unknown;

/** The exit status that shells report for a process that a signal ended. */
const statusOf = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => 128 + constants.signals[signal];

/**
 * Prints why the process ends and returns its exit status. The status is 4 when a server did not accept the credentials of
 * this process.
 */
function reportFatalError(kernel: Kernel, error: unknown, print: PrintLine): number {
  if (!isServiceError(error)) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    kernel.use(Log).error({ reason }, 'an unknown exception occurred; stopping this process');
    return EXIT_INTERNAL;
  }
  print(`svc: ${error.message} (${error.code})\n  → ${error.next}`);
  return error.status === 401 ? EXIT_NOT_AUTHENTICATED : EXIT_INTERNAL;
}

/**
 * Boots a kernel and ties it to the process. SIGTERM, SIGINT and SIGHUP stop it in order (exit 0), even while it boots, so
 * that what the boot has begun, such as an agent's registration, is ended too. A second signal exits at once. An unknown
 * exception ends the process: durability recovers its work, and a half-broken server does harm.
 */
export async function runProcess(start: () => Promise<Kernel>, ready: Ready, print: PrintLine): Promise<void> {
  const stopping = Promise.withResolvers<void>();
  let signalled = false;
  const onSignal = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => {
    if (signalled) process.exit(statusOf(signal));
    signalled = true;
    stopping.resolve();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  const kernel = await start();
  process.on('uncaughtException', (error) => process.exit(reportFatalError(kernel, error, print)));
  await ready(kernel);
  // A process that is killed later would otherwise leave its successor to compile everything again.
  flushCompileCache();
  await stopping.promise;
  process.exitCode = (await kernel.stop()).failures.length > 0 ? 1 : 0;
}
