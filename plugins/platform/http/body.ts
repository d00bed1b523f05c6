import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { BytePieces, type Clock, Errors, type ServiceError } from '../../../kernel/contracts/index.ts';
import { HttpErrors } from './errors.ts';
import type { HttpLimits } from './limits.ts';

/** The caller disconnected in the middle of its body, so there is nobody to answer. */
export class CallerDisconnected extends Error {}

const DECODERS: Record<string, (() => Transform) | undefined> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const EMPTY = Buffer.alloc(0);

/**
 * The limit of the pieces in which a body arrives: 128 bytes for each at 2 MiB. A caller that sends chunks of one byte makes the
 * server work a microsecond for each, and would make it keep an object of a hundred bytes.
 */
const MAX_PIECES = 16 * 1024;
/** A request has a body exactly when its headers say so. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function tooLarge(limit: number): ServiceError {
  return Errors.payloadTooLarge(`the body has more than ${limit} bytes`, { data: { limit_bytes: limit } });
}

function tooManyPieces(): ServiceError {
  return Errors.invalidRequest(`the body arrived in more than ${MAX_PIECES} pieces; send larger chunks`);
}

function decoderOf(request: IncomingMessage): Transform | undefined {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return undefined;
  const make = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (!make) throw Errors.unsupportedMediaType('the Content-Encoding must be gzip, deflate, br or identity');
  return make();
}

interface ReadBodyOptions {
  limit: number;
  clock: Clock;
  limits: HttpLimits;
  /** Receives the number of bytes in memory, and a function that stops the reading. May throw. */
  hold(bytes: number, reject: (error: Error) => void): void;
}

/**
 * Reads the decoded bytes of a body, with never more than `limit` of them in memory. Throws `payload_too_large` as soon as the
 * size is known, `invalid_request` for bytes that do not decompress or arrive in too many pieces, `request_timeout`, and
 * CallerDisconnected.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  reading: ReadBodyOptions,
): Promise<Buffer> {
  if (!hasBody(request)) return EMPTY;
  const decoder = decoderOf(request);
  if (Number(request.headers['content-length'] ?? 0) > reading.limit) throw tooLarge(reading.limit);
  // Sent only now, so that a caller that waits for it never sends a body that was rejected by its headers.
  if (request.headers.expect !== undefined && !response.headersSent) response.writeContinue();
  return collect(request, decoder, reading);
}

/** Tells whether the whole body has arrived with the head, as most short ones do. Only Node's end event is missing then. */
function hasArrived({ headers, readableLength }: IncomingMessage): boolean {
  const length = headers['transfer-encoding'] === undefined ? headers['content-length'] : undefined;
  return length !== undefined && readableLength >= Number(length);
}

function collect(
  request: IncomingMessage,
  decoder: Transform | undefined,
  { limit, clock, limits, hold }: ReadBodyOptions,
) {
  return new Promise<Buffer>((resolve, reject) => {
    const pieces = new BytePieces();
    let received = 0;
    let arrived = 0;
    let size = 0;
    // When nothing needs to be awaited, timers would cost more than the reading.
    const startTimer =
      !decoder && hasArrived(request) ? () => () => undefined : (ms: number) => clock.after(ms, onSlow);
    let idle = startTimer(limits.body_idle_ms);
    const total = startTimer(limits.body_total_ms);

    function settle(error: Error | undefined): void {
      idle();
      total();
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      // A destroyed decoder may still emit an error, but the request has been answered by then.
      if (error) pieces.clear();
      decoder
        ?.off('data', onDecoded)
        .on('error', () => undefined)
        .destroy();
      if (error) reject(error);
      else resolve(pieces.concat());
    }
    function onSlow(): void {
      settle(HttpErrors.requestTimeout('the body did not arrive in time'));
    }
    function onDecoded(chunk: Buffer): void {
      size += chunk.length;
      if (size > limit) return settle(tooLarge(limit));
      pieces.add(chunk);
      try {
        hold(size, settle);
      } catch (error) {
        settle(error as Error);
      }
    }
    function onData(chunk: Buffer): void {
      idle();
      idle = startTimer(limits.body_idle_ms);
      received += chunk.length;
      arrived += 1;
      // Compressed empty blocks can be endless without decoding to a byte.
      if (received > limit) settle(tooLarge(limit));
      else if (arrived > MAX_PIECES) settle(tooManyPieces());
      else if (!decoder) onDecoded(chunk);
      else if (!decoder.write(chunk)) {
        request.pause();
        decoder.once('drain', () => request.resume());
      }
    }
    function onEnd(): void {
      if (decoder) decoder.end();
      else settle(undefined);
    }
    function onClose(): void {
      if (!request.complete) settle(new CallerDisconnected('the caller closed the connection'));
    }

    decoder?.on('data', onDecoded);
    decoder?.once('end', () => settle(undefined));
    decoder?.once('error', () =>
      settle(Errors.invalidRequest('the body cannot be decompressed according to its Content-Encoding')),
    );
    request.on('data', onData).once('end', onEnd).once('close', onClose);
    if (request.destroyed) onClose();
  });
}

/**
 * Lets the caller go on sending for a moment after an answer that was sent before its body was read, so that the caller reads
 * the answer instead of seeing a connection reset. Then the connection is closed; earlier if the rest comes in very many pieces.
 */
export function linger(request: IncomingMessage, done: () => void, clock: Clock, linger_ms: number): void {
  const cancel = clock.after(linger_ms, finish, { unref: true });
  let pieces = 0;
  function onData(): void {
    pieces += 1;
    if (pieces > MAX_PIECES) finish();
  }
  function finish(): void {
    cancel();
    request.off('data', onData).off('end', finish).off('close', finish);
    done();
  }
  request.on('data', onData).once('end', finish).once('close', finish);
  request.resume();
}
