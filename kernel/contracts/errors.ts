/** One validation error in a document or body. `pointer` is a JSON pointer to the offending member. */
export interface Fault {
  pointer: string;
  message: string;
}

/** The meaning of an error code. The catalogue in docs/errors.md is checked against these definitions. */
export interface ErrorDefinition {
  /** Stable snake_case; never renamed. */
  code: string;
  /** The HTTP status of this error. */
  status: number;
  /** The same sentence for every occurrence. */
  title: string;
  /** What the caller should do next. */
  next: string;
}

export interface ErrorExtras {
  errors?: Fault[];
  /** Milliseconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfterMs?: number;
  /** Retrying the same work would fail in the same way. */
  final?: boolean;
  /** Work to do outside of the transaction that throws the error: after it has rolled back, and before it runs again. */
  outside?: () => Promise<void>;
  /** Additional members of the problem document. */
  data?: Record<string, unknown>;
  cause?: unknown;
}

/** An error with a code that a caller can act on. Any other error that is thrown is a bug in the service. */
export class ServiceError extends Error {
  readonly definition: ErrorDefinition;
  readonly extras: ErrorExtras;

  constructor(definition: ErrorDefinition, detail: string, extras: ErrorExtras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'ServiceError';
    this.definition = definition;
    this.extras = extras;
  }

  get code(): string {
    return this.definition.code;
  }

  get status(): number {
    return this.definition.status;
  }

  get next(): string {
    return this.definition.next;
  }
}

export type ErrorFactory = ErrorDefinition & ((detail: string, extras?: ErrorExtras) => ServiceError);

const catalogue = new Map<string, ErrorDefinition>();

/** Declares an error code. The result creates errors and carries the definition. */
export function defineError(definition: ErrorDefinition): ErrorFactory {
  const declared = catalogue.get(definition.code);
  if (declared && (declared.status !== definition.status || declared.title !== definition.title))
    throw new Error(`error code ${definition.code} is declared twice with different meanings`);
  catalogue.set(definition.code, definition);
  const make = (detail: string, extras?: ErrorExtras) => new ServiceError(definition, detail, extras);
  return Object.assign(make, definition);
}

/** Restores an error that another server of this deployment has sent. A code that is unknown here becomes a plain Error. */
export function errorOfCode(code: string, detail: string, extras?: ErrorExtras): Error {
  const definition = catalogue.get(code);
  return definition ? new ServiceError(definition, detail, extras) : new Error(`${code}: ${detail}`);
}

/** Returns every declared code, sorted. */
export function errorCatalogue(): ErrorDefinition[] {
  return [...catalogue.values()].sort((a, b) => a.code.localeCompare(b.code));
}

export function isServiceError(value: unknown, code?: string): value is ServiceError {
  return value instanceof ServiceError && (code === undefined || value.code === code);
}

/** The codes that belong to no plugin. The codes of a plugin are in its errors.ts. */
export const Errors = {
  invalidRequest: defineError({
    code: 'invalid_request',
    status: 400,
    title: 'The request is not valid.',
    next: 'Fix the listed errors and try again.',
  }),
  notAuthenticated: defineError({
    code: 'not_authenticated',
    status: 401,
    title: 'The request has no valid credentials.',
    next: 'Send a valid token as `Authorization: Bearer svc_pat_…`. `svc token create` creates a token, and `svc login` stores it.',
  }),
  forbidden: defineError({
    code: 'forbidden',
    status: 403,
    title: 'Your role does not allow this.',
    next: 'Ask for the role in `detail`: an org owner grants the owner role, and a project admin grants project roles.',
  }),
  notFound: defineError({
    code: 'not_found',
    status: 404,
    title: 'The resource does not exist, or you have no access to it.',
    next: 'Check the spelling, the org and the project (`svc whoami`).',
  }),
  methodNotAllowed: defineError({
    code: 'method_not_allowed',
    status: 405,
    title: 'This path does not support this method.',
    next: 'The `Allow` header lists the methods that it supports.',
  }),
  upgradeRequired: defineError({
    code: 'upgrade_required',
    status: 426,
    title: 'This path accepts only WebSocket connections.',
    next: 'Connect with a WebSocket client.',
  }),
  nameConflict: defineError({
    code: 'name_conflict',
    status: 409,
    title: 'The name is already in use.',
    next: 'Choose another name, or remove the resource that has the name.',
  }),
  payloadTooLarge: defineError({
    code: 'payload_too_large',
    status: 413,
    title: 'The body is larger than this path accepts.',
    next: 'Send a smaller body; put large data in an artifact and send its name.',
  }),
  unsupportedMediaType: defineError({
    code: 'unsupported_media_type',
    status: 415,
    title: 'This path does not accept a body of this type.',
    next: 'Send `Content-Type: application/json`, uncompressed or gzip.',
  }),
  rateLimited: defineError({
    code: 'rate_limited',
    status: 429,
    title: 'There were too many requests.',
    next: 'Wait for `Retry-After` seconds.',
  }),
  internal: defineError({
    code: 'internal',
    status: 500,
    title: 'The server failed.',
    next: 'Give the request ID to the operator. The server log contains the cause.',
  }),
  settingInvalid: defineError({
    code: 'setting_invalid',
    status: 500,
    title: 'A setting has an invalid value.',
    next: 'Fix the variable shown in the message and start again.',
  }),
  unavailable: defineError({
    code: 'unavailable',
    status: 503,
    title: 'The service cannot do this at the moment.',
    next: 'Nothing was done. Try again after `Retry-After` seconds.',
  }),
} as const;
