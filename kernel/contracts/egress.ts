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
}

export interface EgressAnswer {
  status: number;
  /** Names in lower case; repeated headers are joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
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
