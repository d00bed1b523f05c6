import { isServiceError } from '../../../../kernel/contracts/index.ts';
import { parseJson } from '../../../platform/schema/contract.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * No answer with tokens is as long as this. `URLSearchParams` takes time in the square of the number of fields, and one answer
 * of 2 MiB of JSON would block the event loop.
 */
const MAX_LENGTH = 64 * 1024;

/**
 * An answer of a token endpoint in the form that the standard requires. Real answers come form-encoded, with an error
 * and status 200, with a lifetime as text, without a type, or with an unrequested identity token.
 */
export interface TokenResponse {
  status: number;
  body: Record<string, unknown>;
}

/** Returns undefined when the answer contains neither tokens nor an error. */
export function normalizeTokenResponse(status: number, type: string, bytes: Buffer): TokenResponse | undefined {
  const members = parseMembers(type, bytes) ?? {};
  const error = readError(status, members);
  if (error !== undefined) return { status: status >= 400 ? status : 400, body: error };
  if (status >= 300 || typeof members.access_token !== 'string' || members.access_token === '') return undefined;
  return { status: 200, body: readTokens(members) };
}

function parseMembers(type: string, bytes: Buffer): Members | undefined {
  if (bytes.length > MAX_LENGTH) return undefined;
  const text = bytes.toString('utf8').trim();
  if (text.startsWith('{')) return parseObject(bytes);
  if (!/form-urlencoded|text\/plain|text\/html/i.test(type) || !/^[\w.%+~-]+=/.test(text) || /[\s<]/.test(text))
    return undefined;
  return Object.fromEntries(new URLSearchParams(text));
}

function parseObject(bytes: Buffer): Members | undefined {
  try {
    const value = parseJson(bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

/** Statuses 429 and 5xx decide nothing about a token, whatever the body contains. */
function readError(status: number, { error, error_description }: Members): Record<string, unknown> | undefined {
  if (status >= 500 || status === 429 || (status >= 300 && status < 400)) return undefined;
  const described = typeof error_description === 'string' ? { error_description } : {};
  if (typeof error === 'string' && error !== '') return { error, ...described };
  if (status === 401) return { error: 'invalid_client', ...described };
  return status >= 400 ? { error: 'invalid_request', ...described } : undefined;
}

function readTokens({ access_token, refresh_token, expires_in, scope, token_type }: Members): Record<string, unknown> {
  const seconds = typeof expires_in === 'string' ? Number(expires_in) : expires_in;
  const timed = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  const type = typeof token_type === 'string' ? token_type.toLowerCase() : '';
  return {
    access_token,
    // Types such as `bot` describe the token, not how it is presented.
    token_type: type === 'dpop' || type === 'mac' ? type : 'bearer',
    ...(typeof refresh_token === 'string' && refresh_token !== '' ? { refresh_token } : {}),
    ...(timed ? { expires_in: seconds } : {}),
    ...(scopesText(scope) === undefined ? {} : { scope: scopesText(scope) }),
  };
}

function scopesText(scope: unknown): string | undefined {
  if (Array.isArray(scope)) return scope.filter((one) => typeof one === 'string').join(' ');
  return typeof scope === 'string' ? scope.replaceAll(',', ' ') : undefined;
}

/** Errors by which providers report that a grant, a refresh token or a code is no longer valid. */
const REVOKED_ERRORS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'bad_refresh_token',
  'invalid_refresh_token',
  'token_expired',
  'token_revoked',
  'expired_token',
  'bad_verification_code',
  'invalid_code',
  'access_denied',
  'interaction_required',
  'login_required',
  'consent_required',
]);

export const isRevokedError = (error: string): boolean => REVOKED_ERRORS.has(error);

const MAX_MESSAGE_LENGTH = 200;

/** Converts a provider's message to one line, without control characters and without the secrets that it was sent. */
export function redactMessage(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) if (secret !== '') redacted = redacted.replaceAll(secret, '***');
  return redacted
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH);
}
