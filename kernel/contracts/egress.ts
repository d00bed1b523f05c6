import { token } from './tokens.ts';

export interface EgressRequest {
  method: string;
  url: string;
  /** Shown in errors instead of the URL, when its path contains a secret. */
  redacted_url?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** The time limit from connecting to the last byte of the answer. Default 30 s. */
  timeout_ms?: number;
  /** The limit of the decoded answer. Default 2 MiB; a larger answer fails with `egress_failed`. */
  max_bytes?: number;
  /** Truncates a larger answer at the limit instead of failing. */
  may_truncate?: boolean;
  /**
   * Called with the head of the answer. Returns a function that consumes an answer above the limit as it arrives, or
   * undefined to apply the limit. What that function throws ends the request.
   */
  spill?: (
    answer: Pick<EgressAnswer, 'status' | 'headers'>,
  ) => ((content: AsyncIterable<Buffer>) => Promise<void>) | undefined;
  /** Aborts the request, which then rejects with `egress_failed`. */
  signal?: AbortSignal;
  /**
   * Called before the first byte of a request with a body is sent. A request that fails without this call has sent nothing.
   */
  sending?: () => void;
}

export interface EgressAnswer {
  status: number;
  /** Header names are in lower case; repeated headers are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Set when the body was truncated. */
  truncated?: true;
}

/**
 * The only client for outbound HTTP requests of the service. It resolves a name once, checks every address against the
 * registries of special-purpose addresses (`SVC_EGRESS_ALLOW` permits some), connects only to the checked addresses, and does
 * not follow redirects. Errors show the URL without user, query and fragment.
 */
export interface Egress {
  /** Throws `egress_refused` when the address is not allowed, `egress_failed` when there is no usable answer. */
  request(request: EgressRequest): Promise<EgressAnswer>;
}

export const Egress = token<Egress>('kernel.Egress');
