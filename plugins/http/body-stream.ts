import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Cancel, type Clock, Errors } from '../../kernel/contracts/index.ts';
import { CallerGone, hasBody, tooLarge } from './body.ts';
import { HttpErrors } from './errors.ts';
import type { HttpLimits } from './limits.ts';

interface Streaming {
  limit: number;
  clock: Clock;
  limits: HttpLimits;
  /** Aborts when the server stops. */
  signal: AbortSignal;
}

/** Refuses by its headers a body that no handler could read. Throws `unsupported_media_type`, `payload_too_large`. */
export function checkStreamed({ headers }: IncomingMessage, limit: number): void {
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity')
    throw Errors.unsupportedMediaType('this path takes the bytes as they are; leave Content-Encoding out');
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/**
 * The chunks of a body as they arrive; while nobody reads, the caller is held up. Only waiting for the caller counts as a
 * pause of his, not what the reader does meanwhile, and there is no time limit for the whole body.
 */
export async function* streamBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limit, clock, limits, signal }: Streaming,
): AsyncGenerator<Buffer, void> {
  if (!hasBody(request)) return;
  if (request.headers.expect !== undefined && !response.headersSent) response.writeContinue();
  for (let size = 0; ; ) {
    signal.throwIfAborted();
    const chunk = request.read() as Buffer | null;
    if (chunk === null) {
      if (request.readableEnded) return;
      await arrival(request, clock, limits.body_idle_ms, signal);
      continue;
    }
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    yield chunk;
  }
}

/** Resolves when there is something to read, or the end. */
function arrival(request: IncomingMessage, clock: Clock, idle_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let idle: Cancel = () => undefined;
    function settle(error?: unknown): void {
      idle();
      request.off('readable', onArrival).off('end', onArrival).off('close', onClose).off('error', onClose);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    }
    const onArrival = () => settle();
    const onAbort = () => settle(signal.reason);
    function onClose(): void {
      settle(request.complete ? undefined : new CallerGone('the caller closed the connection'));
    }
    idle = clock.after(idle_ms, () => settle(HttpErrors.requestTimeout('the body did not arrive in time')));
    request.on('readable', onArrival).on('end', onArrival).on('close', onClose).on('error', onClose);
    signal.addEventListener('abort', onAbort);
    if (request.destroyed && !request.readableEnded) onClose();
  });
}
