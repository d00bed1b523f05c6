import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, Errors, type Ids, isServiceError, type ServiceError } from '../../../kernel/contracts/index.ts';
import { HttpErrors } from './errors.ts';
import { requestId } from './request-context.ts';
import type { HttpLimits } from './limits.ts';

// An import would evaluate every export, and `WebSocket` of node:http loads a client of 10 MB that nobody here uses.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

interface Problem {
  status: number;
  /** Everything but the length. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Returns what the caller may see of an error: coded errors as they are, and nothing of any other error. */
export function toPublicError(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  return Errors.internal('an unexpected error occurred in the server');
}

/** Builds a problem document (RFC 9457). `type` is a stable URN that nobody has to fetch. */
export function toProblem(error: ServiceError, request_id: string, sent_credentials = false): Problem {
  const { definition, extras, message } = error;
  const document = {
    ...extras.data,
    type: `urn:svc:problem:${definition.code}`,
    title: definition.title,
    status: definition.status,
    detail: message,
    code: definition.code,
    next: definition.next,
    docs: `/docs/errors#${definition.code}`,
    request_id,
    errors: extras.errors,
  };
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' };
  if (extras.retryAfterMs !== undefined)
    headers['Retry-After'] = String(Math.max(1, Math.ceil(extras.retryAfterMs / 1000)));
  if (definition.status === 401)
    headers['WWW-Authenticate'] = sent_credentials ? 'Bearer realm="svc", error="invalid_token"' : 'Bearer realm="svc"';
  if (definition.status === 426) headers.Upgrade = 'websocket';
  return { status: definition.status, headers, body: Buffer.from(JSON.stringify(document)) };
}

/** The supported methods. */
export const METHODS = 'GET, HEAD, PUT, POST, DELETE, OPTIONS';

function problemWithId(error: ServiceError, id: string): Problem {
  const problem = toProblem(error, id);
  return { ...problem, headers: { 'X-Request-Id': id, ...problem.headers } };
}

function errorOf(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return HttpErrors.headersTooLarge('the headers have more than 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return HttpErrors.requestTimeout('the request did not arrive in time');
  return Errors.invalidRequest('the request is not valid HTTP/1.1');
}

/** The answers to input that never becomes a request. */
export const protocolErrors = {
  http: (error: NodeJS.ErrnoException, ids: Ids) => problemWithId(errorOf(error.code), ids.next('req')),
  connect(request: IncomingMessage, ids: Ids): Problem {
    const problem = problemWithId(Errors.methodNotAllowed('this server is not a proxy'), requestId(request, ids));
    return { ...problem, headers: { Allow: METHODS, ...problem.headers } };
  },
  expectation: () => HttpErrors.expectationFailed('the only supported value is 100-continue'),
};

/** Answers on a socket without a response object (malformed HTTP, rejected upgrades) and closes it. */
export function rejectRaw(
  socket: Duplex,
  { status, headers, body }: Problem,
  { clock, limits }: { clock: Clock; limits: HttpLimits },
): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const lines = Object.entries({
    ...headers,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': String(body.length),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`), body]),
  );
  // Discards further input, so that the caller can read the answer before the connection closes.
  socket.resume();
  const cancel = clock.after(limits.linger_ms, () => socket.destroy(), { unref: true });
  socket.once('close', cancel);
}
