import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { stepsOf } from '../../../platform/schema/contract.ts';
import type { NodeAnswer, NodeRequest, Pagination } from '../contract.ts';
import { compileAnswerExpression, readPage } from '../contract/answer-rules.ts';
import { MAX_ANSWER_BYTES } from './egress-request.ts';
import { withoutParameter } from './url.ts';

export const MAX_PAGES = 100;
export const MAX_ITEMS = 10_000;

/** The list that the pages of one request make together. */
export class PageCollector {
  readonly items: Json[] = [];
  /** The pages that were read. */
  pages = 0;
  /** False when a limit ended the list before its last page. */
  complete = true;
  readonly #first: NodeRequest;
  readonly #paginate: Pagination;
  readonly #language: Expressions;
  #bytes = 0;
  #last: Json | undefined;

  constructor(request: NodeRequest, paginate: Pagination, expressions: Expressions) {
    this.#first = request;
    this.#paginate = paginate;
    this.#language = expressions;
  }

  /**
   * Adds the items of a page. Returns the request of the next page, nothing after the last one, or why the page cannot be
   * used.
   */
  add(answer: NodeAnswer): { next?: NodeRequest } | { problem: string } {
    const read = readPage(this.#paginate, answer, this.#language);
    if ('problem' in read) return read;
    const { items } = read;
    this.pages += 1;
    const { max_pages = MAX_PAGES, max_items = MAX_ITEMS } = this.#paginate;
    for (const item of items) {
      this.#bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
      if (this.items.length === max_items || this.#bytes > MAX_ANSWER_BYTES) {
        this.complete = false;
        return {};
      }
      this.items.push(item);
    }
    const next = this.#next(answer, items.length);
    if (!('next' in next) || next.next === undefined) return next;
    if (this.pages < max_pages && this.items.length < max_items) return next;
    this.complete = false;
    return {};
  }

  #next(answer: NodeAnswer, count: number): { next?: NodeRequest } | { problem: string } {
    const { kind, first = kind === 'page' ? 1 : 0 } = this.#paginate;
    if (kind === 'page' || kind === 'offset') {
      if (count === 0 || (this.#paginate.more !== undefined && this.#value('more', answer) !== true)) return {};
      return { next: this.#choose(first + (kind === 'page' ? this.pages : this.items.length)) };
    }
    const value = kind === 'link' && this.#paginate.next === undefined ? linkOf(answer) : this.#value('next', answer);
    if (value === undefined || value === null || value === false || value === '') return {};
    if (typeof value === 'object' || value === true)
      return { problem: `paginate.next is ${value === true ? 'true' : 'no text'}` };
    if (String(value) === this.#last) return { problem: 'paginate.next is that of the page before' };
    this.#last = String(value);
    return kind === 'cursor' ? { next: this.#choose(value) } : this.#follow(String(value));
  }

  /** Evaluates an expression. What an answer lacks has no value. */
  #value(name: 'next' | 'more', answer: NodeAnswer): Json | undefined {
    const read = compileAnswerExpression(this.#language, this.#paginate[name]!).evaluate(answer as never);
    return read.ok ? (read.value as Json) : undefined;
  }

  /** The first request with another page. */
  #choose(page: Json): NodeRequest {
    const { query, body } = this.#paginate;
    if (query !== undefined) {
      const chosen = { ...this.#first.query, [query]: page as string | number };
      return { ...this.#first, url: withoutParameter(this.#first.url, query), query: chosen };
    }
    return { ...this.#first, body: setMember(this.#first.body ?? {}, stepsOf(body!), page) };
  }

  /** The address of a link. The credential is sent with it, so it must belong to the same server. */
  #follow(link: string): { next: NodeRequest } | { problem: string } {
    const { query: _query, ...request } = this.#first;
    if (!URL.canParse(link, request.url)) return { problem: 'the link to the next page is not a URL' };
    const url = new URL(link, request.url);
    if (url.origin !== new URL(request.url).origin)
      return { problem: `the link to the next page leads to another server, ${url.origin.slice(0, 200)}` };
    return { next: { ...request, url: url.href } };
  }
}

/** A copy of a JSON value with another member. */
function setMember(value: Json, [step, ...rest]: readonly string[], member: Json): Json {
  if (step === undefined) return member;
  const holder = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return { ...holder, [step]: setMember(holder[step] ?? {}, rest, member) };
}

const PARAMETERS = /;\s*([^\s=;,"]+)\s*=\s*(?:"([^"]*)"|([^",;\s]*))/g;
const LINKS = /<([^<>]*)>((?:\s*;\s*[^\s=;,"]+\s*=\s*(?:"[^"]*"|[^",;\s]*))*)/g;

/** The address with `rel="next"` in the `Link` header (RFC 8288). */
function linkOf({ headers }: NodeAnswer): string | undefined {
  for (const [, url, parameters = ''] of (headers.link ?? '').matchAll(LINKS))
    for (const [, name = '', quoted, token = ''] of parameters.matchAll(PARAMETERS))
      if (name.toLowerCase() === 'rel' && (quoted ?? token).toLowerCase().split(/\s+/).includes('next')) return url;
  return undefined;
}
