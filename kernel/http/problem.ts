import { Errors, isServiceError, type ServiceError } from '../contracts/index.ts';

export interface Problem {
  status: number;
  /** Everything but the length. */
  headers: Record<string, string>;
  body: Buffer;
}

/** What the caller gets to see of an error: its own text when it is ours, and nothing of any other. */
export function visible(error: unknown): ServiceError {
  if (isServiceError(error)) return error;
  return Errors.internal('the server met a fault that it did not expect');
}

/** RFC 9457. `type` is a stable URN, so that it never has to be fetched. */
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
    request_id,
    ...(extras.errors ? { errors: extras.errors } : {}),
  };
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' };
  if (extras.retryAfterMs !== undefined)
    headers['Retry-After'] = String(Math.max(1, Math.ceil(extras.retryAfterMs / 1000)));
  if (definition.status === 401)
    headers['WWW-Authenticate'] = sent_credentials ? 'Bearer realm="svc", error="invalid_token"' : 'Bearer realm="svc"';
  if (definition.status === 426) headers.Upgrade = 'websocket';
  return { status: definition.status, headers, body: Buffer.from(JSON.stringify(document)) };
}
