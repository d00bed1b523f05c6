import type { Masker } from '../../../security/masking/contract.ts';
import { isSecretName, SecretValues } from './secret-values.ts';

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

/** Examples are committed, so that only headers without secrets are written, and of these only what cannot be one. */
const RECORDED_HEADERS = new Map([
  ['content-type', /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:\s*;\s*charset="?[\w-]{1,32}"?)?/],
  ['retry-after', /^(?:\d{1,10}$|[A-Z][a-z]{2}, [\w :-]{1,40}$)/],
]);
const MAX_BODY_LENGTH = 64 * 1024;

/**
 * The response as an example shows it. Its credential is already masked. Here, what is named like a secret or looks like one is
 * masked, and these values and the secret inputs of the call are then masked wherever they occur, in every common encoding.
 */
export function maskResponse(
  { status, headers, body }: NodeResponse,
  inputs: readonly string[],
  maskerOf: (values: readonly string[]) => Pick<Masker, 'json'>,
): ExampleResponse {
  const secrets = new SecretValues();
  for (const [name, value] of Object.entries(headers))
    secrets.mask({ [name]: isSecretName(name) ? value.split(/[\s;=,]+/) : value });
  const visible = isBinary(headers, body) ? null : secrets.mask(body);
  const masked = maskerOf([...inputs, ...secrets.found]).json(visible);
  const recorded = Object.entries(headers).flatMap(([name, value]) => {
    const [text] = RECORDED_HEADERS.get(name)?.exec(value) ?? [];
    return text === undefined || isJson(text) ? [] : [[name, text] as const];
  });
  const is_short = JSON.stringify(masked ?? null).length <= MAX_BODY_LENGTH;
  return {
    status,
    ...(recorded.length > 0 ? { headers: Object.fromEntries(recorded) } : {}),
    ...(is_short && masked !== null ? { body: masked } : {}),
  };
}

const isJson = (value: string): boolean => /^application\/json\b/i.test(value);

/** Bytes that are not text. Nobody sees what is in them. */
const isBinary = (headers: NodeResponse['headers'], body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  Object.keys(body).join() === 'base64' &&
  !/json/i.test(headers['content-type'] ?? '');
