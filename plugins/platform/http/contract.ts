import {
  extensionPoint,
  type HttpReply,
  type HttpRequest,
  type Principal,
  token,
} from '../../../kernel/contracts/index.ts';
import type { PageFile } from './contract/static-files.ts';

/** The rate of deliveries to one address of this service: a hook or a forge webhook. */
export interface DeliveryRates {
  /** Counts a verified delivery, so that forged ones cannot use up the sender's rate. Throws `rate_limited`. */
  count(address_id: string): void;
  /**
   * Counts a delivery whose secret or signature is wrong like a failed authentication: by the sender's address, and by the
   * address of this service. Throws `rate_limited`, in place of the error for the delivery.
   */
  countFailure(ip: string, address_id: string): void;
  /** True when so many authentications from this address failed that the next failure is rejected by the limit. */
  hasManyFailures(ip: string): boolean;
}

export const DeliveryRates = token<DeliveryRates>('http.DeliveryRates');

/** The state that `GET /readyz` reports. */
export interface Readiness {
  /** Returns the names of the health checks that fail now. The reasons are in the log. */
  failing(): Promise<readonly string[]>;
}

export const Readiness = token<Readiness>('http.Readiness');

/** A request of the REST API that comes from within the server. */
export interface OperationCall {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The whole path with escaped parameters, without a query. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
}

/**
 * Lets a plugin offer the REST API in another form. A call has the rights of the request that it serves: it is authorized and
 * validated in the same way, and throws the same errors.
 */
export interface Operations {
  /** Throws what the route throws. Streams must be read or destroyed by the caller. */
  call(call: OperationCall, by: HttpRequest): Promise<HttpReply>;
  /** Returns whether the caller has the role that the route requires. */
  allows(call: Pick<OperationCall, 'method' | 'path'>, by: HttpRequest): Promise<boolean>;
}

export const Operations = token<Operations>('http.Operations');

export { HTML, type PageFile, type ReadStaticFile, staticFiles } from './contract/static-files.ts';

/** Static pages, served with an ETag and with headers that isolate them from other sites. They ignore the query. */
export interface HttpPage {
  /** An exact path (`/`), or one that ends with `/*`. */
  path: string;
  /** Returns the file of a decoded path; undefined when there is none. */
  serve(path: string): Promise<PageFile | undefined>;
}

export const HttpPages = extensionPoint<HttpPage>('http.HttpPages', { key: (page) => page.path });

/** What is known about a request before its caller is authenticated. */
export type UnknownRequest = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'ip' | 'request_id'>;

export interface RecognisedCaller {
  principal: Principal;
  headers?: Readonly<Record<string, string>>;
  headers_ms?: number;
}

/**
 * Authenticates people by something other than a token in `Authorization`, such as a cookie. It is called only for requests
 * without that header on routes for people: never for routes of agents, upgrades or public routes.
 */
export interface CallerSource {
  name: string;
  /**
   * Returns the credential of the request, which is the same for all requests of one person; undefined when it has none. With
   * this method, failures are counted like those of tokens, so that nobody can guess without limit.
   */
  credentialOf?(request: UnknownRequest): string | undefined;
  /** Rejects a request with a credential for other reasons than the credential. This does not count as a guess. */
  screen?(request: UnknownRequest): void;
  /**
   * Returns the caller, and headers to add to any answer that begins within `headers_ms`; undefined when the request has
   * nothing that this source understands. Throws `not_authenticated` or an error of its own.
   */
  callerOf(request: UnknownRequest): Promise<RecognisedCaller | undefined>;
}

export const CallerSources = extensionPoint<CallerSource>('http.CallerSources', { key: (source) => source.name });

/** A page of one message, for people whom another site sent here. */
export { escapeHtml, htmlPage, type Message, messagePage } from './contract/message-page.ts';
