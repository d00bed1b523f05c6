import { token } from './tokens.ts';

export interface EgressRequest {
  method: string;
  url: string;
  /** Shown in errors instead of the URL, when its path contains a secret. */
  shown_url?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** For the whole exchange. Default 30 s. */
  timeout_ms?: number;
  /** Limit for the decoded answer. Default 2 MiB; a larger answer is refused with `egress_failed`. */
  max_bytes?: number;
  /** A larger answer is not refused but cut at the limit. */
  may_cut?: boolean;
  /**
   * Takes a larger answer whole, as it arrives, instead: undefined leaves it to the limit. What it throws ends the
   * exchange.
   */
  spill?: (
    answer: Pick<EgressAnswer, 'status' | 'headers'>,
  ) => ((content: AsyncIterable<Buffer>) => Promise<void>) | undefined;
  /** Ends the exchange early: it rejects with `egress_failed`. */
  signal?: AbortSignal;
  /** Of a request with a body: called before its first byte leaves. Nothing was sent when it fails without this call. */
  sending?: () => void;
}

export interface EgressAnswer {
  status: number;
  /** Names in lower case; repeated headers are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The body was cut. */
  cut?: true;
}

/**
 * The only client for outbound HTTP requests of the service. It resolves a name once, checks every address against the
 * registries of special-purpose addresses (`SVC_EGRESS_ALLOW` permits others), connects to the checked address, and
 * does not follow redirects. Errors show the URL without user, query and fragment.
 */
export interface Egress {
  /** Throws `egress_refused` when the address is not allowed, `egress_failed` when there is no usable answer. */
  request(request: EgressRequest): Promise<EgressAnswer>;
}

export const Egress = token<Egress>('kernel.Egress');
