import { createHmac } from 'node:crypto';
import type { RequestSignature } from '../contract.ts';
import { requestInvalid } from './request-rules.ts';

interface Signed {
  body: Buffer;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Returns the headers that sign a request. Throws `request_invalid` when the key is not in the encoding of the
 * signature.
 */
export function signatureHeaders(sign: RequestSignature, secret: string, signed: Signed): Record<string, string> {
  const { header, algorithm, encoding, prefix = '', timestamp_header, id_header } = sign;
  const timestamp = String(Math.floor(signed.now / 1000));
  const id = signed.headers[id_header?.toLowerCase() ?? ''] ?? '';
  const hmac = createHmac(algorithm, readKey(sign, secret));
  for (const token of sign.signs.split(/(\{[a-z]+\})/)) {
    if (token === '{body}') hmac.update(signed.body);
    else hmac.update(token === '{timestamp}' ? timestamp : token === '{id}' ? id : token);
  }
  return {
    ...(timestamp_header && { [timestamp_header.toLowerCase()]: timestamp }),
    [header.toLowerCase()]: `${prefix}${hmac.digest(encoding)}`,
  };
}

const FORMS = { base64: /^[A-Za-z0-9+/]+={0,2}$/, hex: /^(?:[0-9A-Fa-f]{2})+$/ } as const;

function readKey({ key: { prefix = '', encoding } = { encoding: 'text' } }: RequestSignature, secret: string): Buffer {
  const text = prefix !== '' && secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (encoding === 'text') return Buffer.from(text);
  if (FORMS[encoding].test(text)) return Buffer.from(text, encoding);
  const form = prefix === '' ? encoding : `${encoding}, with or without ${prefix} before it`;
  throw requestInvalid([{ pointer: '/credential', message: `must contain a key that is encoded in ${form}` }]);
}
