import { Errors } from '../../../../kernel/contracts/index.ts';

const HEX = /^[0-9a-f]{64}$/;
const MEMBER = /^([a-z0-9*-]+)=:([A-Za-z0-9+/]*={0,2}):$/;
const BYTES = 32;

/** Formats a digest as `sha256:<hex>`, as in responses and commands. */
export const formatDigest = (hex: string): string => `sha256:${hex}`;

/** Parses `sha256:<hex>` into its 64 hex digits. Throws `invalid_request`. */
export function parseDigest(text: string, pointer: string): string {
  const [algorithm, hex = ''] = text.split(':');
  if (algorithm === 'sha256' && HEX.test(hex) && text.length === 71) return hex;
  throw invalid(pointer, 'must be sha256: and 64 lowercase hex digits');
}

/** Formats a digest as in RFC 9530: `sha-256=:<base64>:`. */
export const digestHeader = (hex: string): string => `sha-256=:${Buffer.from(hex, 'hex').toString('base64')}:`;

/**
 * Returns the SHA-256 in hex of a `Repr-Digest` or `Content-Digest` header, or undefined without one. Throws
 * `invalid_request`, because a digest that is not understood must not count as verified.
 */
export function parseDigestHeader(
  name: 'repr-digest' | 'content-digest',
  value: string | undefined,
): string | undefined {
  if (value === undefined) return undefined;
  const pointer = `/headers/${name}`;
  let digest: string | undefined;
  for (const member of value.split(',')) {
    const [, algorithm, base64 = ''] = MEMBER.exec(member.trim()) ?? [];
    if (algorithm === undefined) throw invalid(pointer, 'must be written like sha-256=:<base64>:');
    if (algorithm !== 'sha-256') continue;
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length !== BYTES) throw invalid(pointer, `has a sha-256 of ${bytes.length} bytes, not ${BYTES}`);
    digest = bytes.toString('hex');
  }
  if (digest === undefined) throw invalid(pointer, 'contains no sha-256, the only digest that is checked');
  return digest;
}

function invalid(pointer: string, message: string) {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  return Errors.invalidRequest(`${name} ${message}`, { errors: [{ pointer, message }] });
}
