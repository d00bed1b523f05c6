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

/** Serves a page; the query is ignored. */
export async function servePage(page: HttpPage, exchange: Exchange, answers: Answers): Promise<void> {
  const found = await page.serve(decodeURIComponent(exchange.path));
  if (!found) throw Errors.notFound('no page has this path');
  const tag = tagOf(found.body);
  const headers = { ...PAGE_HEADERS, ETag: tag, 'Content-Type': found.type };
  const fresh = isFresh(exchange.request.headers['if-none-match'], tag);
  answers.bytes(exchange, fresh ? 304 : 200, headers, found.body);
}
