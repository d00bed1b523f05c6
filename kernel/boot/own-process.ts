import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import { isServiceError, Log } from '../contracts/index.ts';
import type { Kernel } from './kernel.ts';

/** Exit statuses of a process that ends by itself: the CLI's for "not authenticated", and sysexits' EX_SOFTWARE. */
const EXIT_REFUSED = 4;
const EXIT_FAULT = 70;

type Tell = (text: string) => void;
type Ready = (kernel: Kernel) => unknown;

/** Exit status of a process that a signal ended, as shells report it. */
const statusOf = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => 128 + constants.signals[signal];

/** Tells why the process ends, which a far end may have said, and answers its exit status: 4 when the caller was refused. */
function lastWords(kernel: Kernel, error: unknown, tell: Tell): number {
  if (!isServiceError(error)) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    kernel.use(Log).error({ reason }, 'an unknown exception occurred; this process ends');
    return EXIT_FAULT;
  }
  tell(`svc: ${error.message} (${error.code})\n  → ${error.next}`);
  return error.status === 401 ? EXIT_REFUSED : EXIT_FAULT;
}

/**
 * Boots a kernel and connects it to its process. SIGTERM and SIGINT stop it in order (exit 0; a second signal exits at
 * once), also when they come while it boots: what the boot has begun, such as an agent's registration, is ended too. An
 * unknown exception ends the process: durability recovers its work, and a half-broken server does harm.
 */
export async function ownProcess(start: () => Promise<Kernel>, ready: Ready, tell: Tell): Promise<void> {
  const stopping = Promise.withResolvers<void>();
  let signalled = false;
  const onSignal = (signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP') => {
    if (signalled) process.exit(statusOf(signal));
    signalled = true;
    stopping.resolve();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
  const kernel = await start();
  process.on('uncaughtException', (error) => process.exit(lastWords(kernel, error, tell)));
  await ready(kernel);
  // Otherwise a process that is killed would leave its successor to compile everything again.
  flushCompileCache();
  await stopping.promise;
  process.exitCode = (await kernel.stop()).failures.length > 0 ? 1 : 0;
}
