import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { HttpPage, PageFile } from './contract.ts';
import type { RequestContext } from './request-context.ts';
import type { Answers } from './reply.ts';

/** Pages load only what this server serves, and cannot be framed. */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
} as const;

const digests = new WeakMap<Buffer, string>();

/** Returns the digest of bytes, which is cached for as long as their owner keeps them. */
function digestOf(bytes: Buffer): string {
  const cached = digests.get(bytes);
  if (cached !== undefined) return cached;
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  digests.set(bytes, digest);
  return digest;
}

const decompressed = promisify(brotliDecompress);

/** What is sent: the ETag, and the bytes. Bytes that are stored compressed only have to be decompressed for few programs. */
function contentOf({ body, brotli }: PageFile, compressed: boolean) {
  if (compressed && brotli) return { tag: `"${digestOf(brotli)}"`, bytes: async () => brotli };
  if (body) return { tag: `"${digestOf(body)}"`, bytes: async () => body };
  return { tag: `"${digestOf(brotli)}-plain"`, bytes: async () => await decompressed(brotli) };
}

function isCurrent(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((text) => text.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}

/** Tells whether the header names `br` without the weight 0. */
function acceptsBrotli(header: string | undefined): boolean {
  const entry = (header ?? '').split(',').find((encoding) => /^\s*br\s*(;|$)/i.test(encoding));
  return entry !== undefined && !/;\s*q\s*=\s*0(\.0*)?\s*$/i.test(entry);
}

/** Serves a page and ignores the query. */
export async function servePage(page: HttpPage, context: RequestContext, answers: Answers): Promise<void> {
  const page_file = await page.serve(decodeURIComponent(context.path));
  if (!page_file) throw Errors.notFound('no page has this path');
  const { headers: request_headers } = context.request;
  const compressed = page_file.brotli !== undefined && acceptsBrotli(request_headers['accept-encoding']);
  const { tag, bytes } = contentOf(page_file, compressed);
  const headers = {
    ...PAGE_HEADERS,
    ETag: tag,
    'Content-Type': page_file.type,
    ...(page_file.immutable && { 'Cache-Control': 'public, max-age=31536000, immutable' }),
    ...(page_file.brotli && { Vary: 'Accept-Encoding' }),
    ...(compressed && { 'Content-Encoding': 'br' }),
  };
  const { status = 200 } = page_file;
  // A page that is not there stays missing, whatever the caller has.
  if (status === 200 && isCurrent(request_headers['if-none-match'], tag)) answers.bytes(context, 304, headers, '');
  else answers.bytes(context, status, headers, await bytes());
}
