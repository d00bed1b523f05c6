import { createHash } from 'node:crypto';
import { Errors } from '../../kernel/contracts/index.ts';
import type { HttpPage } from './contract.ts';
import type { Exchange } from './exchange.ts';
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

const tags = new WeakMap<Buffer, string>();

/** The digest of a page is cached as long as its owner keeps the bytes. */
function tagOf(body: Buffer): string {
  const known = tags.get(body);
  if (known !== undefined) return known;
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  tags.set(body, tag);
  return tag;
}

function isFresh(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const known = header.split(',').map((text) => text.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}

/** `br` by name, and not with the weight 0. */
function takesBrotli(header: string | undefined): boolean {
  const found = (header ?? '').split(',').find((one) => /^\s*br\s*(;|$)/i.test(one));
  return found !== undefined && !/;\s*q\s*=\s*0(\.0*)?\s*$/i.test(found);
}

/** Serves a page; the query is ignored. */
export async function servePage(page: HttpPage, exchange: Exchange, answers: Answers): Promise<void> {
  const found = await page.serve(decodeURIComponent(exchange.path));
  if (!found) throw Errors.notFound('no page has this path');
  const { headers: asked } = exchange.request;
  const packed = found.brotli && takesBrotli(asked['accept-encoding']) ? found.brotli : undefined;
  const body = packed ?? found.body;
  const tag = tagOf(body);
  const headers = {
    ...PAGE_HEADERS,
    ETag: tag,
    'Content-Type': found.type,
    ...(found.immutable && { 'Cache-Control': 'public, max-age=31536000, immutable' }),
    ...(found.brotli && { Vary: 'Accept-Encoding' }),
    ...(packed && { 'Content-Encoding': 'br' }),
  };
  const fresh = isFresh(asked['if-none-match'], tag);
  answers.bytes(exchange, fresh ? 304 : 200, headers, body);
}
