import { token } from './tokens.ts';

export interface EgressRequest {
  method: string;
  url: string;
  /** What errors show in place of the URL, for one whose path holds a secret. */
  shown_url?: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  /** For the whole exchange. Default 30 s. */
  timeout_ms?: number;
  /** Of the answer's decoded body. Default 2 MiB; more is refused with `egress_failed`. */
  max_bytes?: number;
}

export interface EgressAnswer {
  status: number;
  /** Names in lower case; repeated ones joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/**
 * The only way out: every outbound HTTP request of the service. Names are resolved once, every address is checked against
 * the registries of special-purpose addresses (`SVC_EGRESS_ALLOW` says what else may be reached), the connection goes to
 * the address that was checked, and redirects are not followed. Errors hold the URL without user, query and fragment.
 */
export interface Egress {
  /** Throws `egress_refused` when the address may not be reached, `egress_failed` when there was no answer. */
  request(request: EgressRequest): Promise<EgressAnswer>;
}

export const Egress = token<Egress>('kernel.Egress');
