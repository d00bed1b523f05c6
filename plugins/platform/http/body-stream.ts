import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Cancel, type Clock, Errors } from '../../../kernel/contracts/index.ts';
import { CallerDisconnected, hasBody, tooLarge } from './body.ts';
import { HttpErrors } from './errors.ts';
import type { HttpLimits } from './limits.ts';

interface StreamOptions {
  limit: number;
  clock: Clock;
  limits: HttpLimits;
  /** Aborts when the server stops. */
  signal: AbortSignal;
  /** Is told how many bytes have arrived. May throw. */
  hold?: ((bytes: number) => void) | undefined;
}

/** Rejects a body that no handler could read by its headers. Throws `unsupported_media_type` or `payload_too_large`. */
export function checkStreamHeaders({ headers }: IncomingMessage, limit: number): void {
  if ((headers['content-encoding'] ?? 'identity').trim().toLowerCase() !== 'identity')
    throw Errors.unsupportedMediaType('this path does not decompress the body; leave Content-Encoding out');
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/**
 * Yields the chunks of a body as they arrive, with backpressure on the caller. The idle timeout covers only the time spent
 * waiting for the caller, not what the reader does in between. There is no time limit for the whole body.
 */
export async function* streamBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limit, clock, limits, signal, hold }: StreamOptions,
): AsyncGenerator<Buffer, void> {
  if (!hasBody(request)) return;
  if (request.headers.expect !== undefined && !response.headersSent) response.writeContinue();
  for (let size = 0; ; ) {
    signal.throwIfAborted();
    const chunk = request.read() as Buffer | null;
    if (chunk === null) {
      if (request.readableEnded) return;
      await waitForData(request, clock, limits.body_idle_ms, signal);
      continue;
    }
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    hold?.(size);
    yield chunk;
  }
}

/** Resolves when there is something to read, or when the body has ended. */
function waitForData(request: IncomingMessage, clock: Clock, idle_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let idle: Cancel = () => undefined;
    function finish(error?: unknown): void {
      idle();
      request.off('readable', onArrival).off('end', onArrival).off('close', onClose).off('error', onClose);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    }
    const onArrival = () => finish();
    const onAbort = () => finish(signal.reason);
    function onClose(): void {
      finish(request.complete ? undefined : new CallerDisconnected('the caller closed the connection'));
    }
    idle = clock.after(idle_ms, () => finish(HttpErrors.requestTimeout('the body did not arrive in time')));
    request.on('readable', onArrival).on('end', onArrival).on('close', onClose).on('error', onClose);
    signal.addEventListener('abort', onAbort);
    if (request.destroyed && !request.readableEnded) onClose();
  });
}
