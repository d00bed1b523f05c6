import { Errors, type HttpRequest } from '../../../../kernel/contracts/index.ts';
import { parseDigest, parseDigestHeader } from '../domain/digests.ts';
import { parseContentRange } from '../domain/ranges.ts';
import type { Delivery } from './receive.ts';

/** What the headers of a request with content mean. */
export const UPLOAD_HEADERS = {
  'Repr-Digest':
    '`sha-256=:<base64>:` of the whole file (RFC 9530). It is checked, and with `Content-Length` it makes the upload resumable.',
  'Content-Digest': 'The same for this part alone.',
  'Content-Range':
    '`bytes <first>-<last>/<size>`: this content is a piece of a file; `bytes */<size>` without content completes the upload. Needs `Repr-Digest`.',
} as const;

/** Reads the headers of a request with content. Throws `invalid_request`. */
export function parseDelivery(
  { headers, content }: Pick<HttpRequest, 'headers' | 'content'>,
  target: Pick<Delivery, 'scope' | 'path' | 'activity_id'>,
): Delivery {
  const content_digest = parseDigestHeader('content-digest', headers['content-digest']);
  const range = parseContentRange(headers['content-range']);
  const digest = parseDigestHeader('repr-digest', headers['repr-digest']) ?? (range ? undefined : content_digest);
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if (range && digest === undefined)
    throw invalid('repr-digest', 'is missing: it must be the digest of the complete file');
  if (range && (length ?? 0) !== range.to - range.from && headers['transfer-encoding'] === undefined)
    throw invalid('content-range', `names ${range.to - range.from} bytes, but the content has ${length ?? 0}`);
  const size = range?.size ?? (headers['transfer-encoding'] === undefined ? (length ?? 0) : undefined);
  return {
    ...target,
    offset: range?.from ?? 0,
    content: content ?? emptyContent(),
    content_digest,
    expected: digest === undefined || size === undefined ? undefined : { digest, size },
    required: digest,
  };
}

/** Returns the file that a question about an upload names. Throws `invalid_request`. */
export function parseExpected({ query: { digest = '', size } }: Pick<HttpRequest, 'query'>) {
  return { digest: parseDigest(digest, '/query/digest'), size: Number(size) };
}

async function* emptyContent(): AsyncGenerator<Buffer, void> {}

function invalid(name: string, message: string) {
  return Errors.invalidRequest(`${name} ${message}`, { errors: [{ pointer: `/headers/${name}`, message }] });
}
