/** The response of a node. */
export interface NodeResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

export interface ExampleResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Examples are committed, so that only headers without secrets are written. */
const RECORDED_HEADERS = ['content-type', 'retry-after'];
const SECRET_NAME =
  /token|secret|passw(?:or)?d|passphrase|api[_-]?key|private[_-]?key|authorization|cookie|session|credential|signature/i;
const MAX_BODY_LENGTH = 64 * 1024;

/**
 * The response as an example shows it. Its credential is already masked; here, every text of a member that is named like a
 * secret is masked too.
 */
export function maskResponse({ status, headers, body }: NodeResponse): ExampleResponse {
  const recorded = Object.entries(headers).filter(([name, value]) => RECORDED_HEADERS.includes(name) && !isJson(value));
  const masked = maskMembers(body, false);
  const is_short = JSON.stringify(masked ?? null).length <= MAX_BODY_LENGTH;
  return {
    status,
    ...(recorded.length > 0 ? { headers: Object.fromEntries(recorded) } : {}),
    ...(is_short && masked !== null ? { body: masked } : {}),
  };
}

const isJson = (value: string): boolean => /^application\/json\b/i.test(value);

function maskMembers(value: unknown, is_secret: boolean): unknown {
  if (typeof value === 'string') return is_secret ? '***' : value;
  if (Array.isArray(value)) return value.map((one) => maskMembers(one, is_secret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, maskMembers(one, is_secret || SECRET_NAME.test(name))]),
  );
}
