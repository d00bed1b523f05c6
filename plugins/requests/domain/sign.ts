import { createHmac } from 'node:crypto';
import type { RequestSignature } from '../contract.ts';
import { requestInvalid } from './request-rules.ts';

interface Signed {
  body: Buffer;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Epoch ms. */
  now: number;
}

/** The headers that prove a request. Throws `request_invalid` for a key that is not written as the signature wants it. */
export function signatureHeaders(sign: RequestSignature, secret: string, signed: Signed): Record<string, string> {
  const { header, algorithm, encoding, prefix = '', timestamp_header, id_header } = sign;
  const timestamp = String(Math.floor(signed.now / 1000));
  const id = signed.headers[id_header?.toLowerCase() ?? ''] ?? '';
  const hmac = createHmac(algorithm, keyOf(sign, secret));
  for (const part of sign.signs.split(/(\{[a-z]+\})/)) {
    if (part === '{body}') hmac.update(signed.body);
    else hmac.update(part === '{timestamp}' ? timestamp : part === '{id}' ? id : part);
  }
  return {
    ...(timestamp_header && { [timestamp_header.toLowerCase()]: timestamp }),
    [header.toLowerCase()]: `${prefix}${hmac.digest(encoding)}`,
  };
}

const FORMS = { base64: /^[A-Za-z0-9+/]+={0,2}$/, hex: /^(?:[0-9A-Fa-f]{2})+$/ } as const;

function keyOf({ key: { prefix = '', encoding } = { encoding: 'text' } }: RequestSignature, secret: string): Buffer {
  const text = prefix !== '' && secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  if (encoding === 'text') return Buffer.from(text);
  if (FORMS[encoding].test(text)) return Buffer.from(text, encoding);
  const form = prefix === '' ? encoding : `${encoding}, with or without ${prefix} before it`;
  throw requestInvalid([{ pointer: '/credential', message: `must hold a key that is written in ${form}` }]);
}
