import { isServiceError } from '../../../kernel/contracts/index.ts';
import { parseJson } from '../../schema/contract.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * An answer of a token endpoint in the form that the standard asks for. Real ones come form-encoded, with an error and
 * status 200, with a lifetime as text, without a type, or with an identity token that nobody asked for.
 */
export interface PlainAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Undefined when the answer holds neither tokens nor an error, so that it says nothing. */
export function plainAnswer(status: number, type: string, bytes: Buffer): PlainAnswer | undefined {
  const members = membersOf(type, bytes) ?? {};
  const error = errorOf(status, members);
  if (error !== undefined) return { status: status >= 400 ? status : 400, body: error };
  if (status >= 300 || typeof members.access_token !== 'string' || members.access_token === '') return undefined;
  return { status: 200, body: tokensOf(members) };
}

function membersOf(type: string, bytes: Buffer): Members | undefined {
  const text = bytes.toString('utf8').trim();
  if (text.startsWith('{')) return jsonOf(bytes);
  if (!/form-urlencoded|text\/plain|text\/html/i.test(type) || !/^[\w.%+~-]+=/.test(text) || /[\s<]/.test(text))
    return undefined;
  return Object.fromEntries(new URLSearchParams(text));
}

function jsonOf(bytes: Buffer): Members | undefined {
  try {
    const value = parseJson(bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

/** 429 and 5xx are no decisions about a token, whatever their body says. */
function errorOf(status: number, { error, error_description }: Members): Record<string, unknown> | undefined {
  if (status >= 500 || status === 429 || (status >= 300 && status < 400)) return undefined;
  const described = typeof error_description === 'string' ? { error_description } : {};
  if (typeof error === 'string' && error !== '') return { error, ...described };
  if (status === 401) return { error: 'invalid_client', ...described };
  return status >= 400 ? { error: 'invalid_request', ...described } : undefined;
}

function tokensOf({ access_token, refresh_token, expires_in, scope, token_type }: Members): Record<string, unknown> {
  const seconds = typeof expires_in === 'string' ? Number(expires_in) : expires_in;
  const timed = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  const type = typeof token_type === 'string' ? token_type.toLowerCase() : '';
  return {
    access_token,
    // Names such as `bot` say what the token is, not how it is presented.
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

/** Errors by which providers say that the grant itself, a refresh token or a code is not good any more. */
const GONE: ReadonlySet<string> = new Set([
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

export const isGone = (error: string): boolean => GONE.has(error);

const TOLD_LENGTH = 200;

/** What a provider says, in one line without control characters and without the secrets that it was sent. */
export function told(text: string, secrets: readonly string[]): string {
  let said = text;
  for (const secret of secrets) if (secret !== '') said = said.replaceAll(secret, '***');
  return said
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TOLD_LENGTH);
}
