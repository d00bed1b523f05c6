// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Hook {
  name: string;
  /**
   * How a delivery proves itself: a shared token, a signature by a manifest, a signature by settings.
   */
  mode: 'token' | 'manifest' | 'hmac';
  /**
   * Of every event. Absent: `<hook>.<type of the delivery>`.
   */
  event_type?: string;
  manifest?: string;
  hmac?: HmacView;
  /**
   * Where deliveries are sent to.
   */
  ingest_url: string;
  /**
   * Of a shared token, in the one answer after it was made: send it as X-Svc-Hook-Secret.
   */
  secret?: string;
  /**
   * What made it, when no person did: `graph:<graph>`.
   */
  owner?: string;
  set_at: string;
  /**
   * Since when the present secret or key counts.
   */
  secret_at: string;
  /**
   * Until when the secret or key from before the last rotation counts too. Absent when it does not.
   */
  old_secret_until?: string;
  /**
   * When a delivery showed the old one last, to about a minute. Absent when none has.
   */
  last_old_secret_use?: string;
}
export interface HmacView {
  header: string;
  prefix: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
}
