import { extensionPoint, type HttpRequest, type Principal, token } from '../../kernel/contracts/index.ts';

/** The rate of deliveries to one address of this service: a hook or a forge webhook. */
export interface DeliveryRates {
  /** Counts a verified delivery, so that forged ones cannot use up the sender's rate. Throws `rate_limited`. */
  take(address_id: string): void;
}

export const DeliveryRates = token<DeliveryRates>('http.DeliveryRates');

/** What `GET /readyz` asks. */
export interface Readiness {
  /** Names of the health checks that fail now. The reasons are in the log. */
  failing(): Promise<readonly string[]>;
}

export const Readiness = token<Readiness>('http.Readiness');

/** A file of a page. */
export interface PageFile {
  body: Buffer;
  type: string;
  /** The same, compressed. */
  brotli?: Buffer;
  /** What this path serves never changes: browsers keep it without asking again. */
  immutable?: boolean;
}

/** Static pages, served with an ETag and headers that isolate them from other sites. They take no query. */
export interface HttpPage {
  /** Exact (`/`), or ending with `/*`. */
  path: string;
  /** `path` is decoded. Undefined: there is no such page. */
  serve(path: string): Promise<PageFile | undefined>;
}

export const HttpPages = extensionPoint<HttpPage>('http.HttpPages', { key: (page) => page.path });

/** What is known of a request before anybody knows who sends it. */
export type UnknownRequest = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'ip' | 'request_id'>;

export interface RecognisedCaller {
  principal: Principal;
  headers?: Readonly<Record<string, string>>;
  headers_ms?: number;
}

/**
 * Knows people by something else than a token in `Authorization`, such as a cookie. It is asked only for requests without
 * that header, on routes for people: never on those of agents, on upgrades or on public ones.
 */
export interface CallerSource {
  name: string;
  /**
   * What of the request it looks people up by, the same for all requests of one person. A source that has it has its failures
   * counted like those of tokens, so that nobody can guess without end. Undefined: the request has none.
   */
  credentialOf?(request: UnknownRequest): string | undefined;
  /** Throws what is wrong with a request that has a credential, whatever that is: no guess, and not counted as one. */
  screen?(request: UnknownRequest): void;
  /**
   * The sender, and headers for the answer, whatever that will be; an answer that begins more than `headers_ms` later goes
   * without them. Undefined: the request has nothing that this source knows. Throws `not_authenticated`, or a refusal of
   * its own.
   */
  callerOf(request: UnknownRequest): Promise<RecognisedCaller | undefined>;
}

export const CallerSources = extensionPoint<CallerSource>('http.CallerSources', { key: (source) => source.name });

/** A page of one message, for people whom another site sent here. */
export { type Message, messagePage } from './contract/message-page.ts';
