// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Hook {
  name: string;
  /**
   * How deliveries are verified: with a shared token, with a signature that a manifest defines, or with a signature that the hook's settings define.
   */
  mode: 'token' | 'manifest' | 'hmac';
  /**
   * The type of every event. Default: `<hook>.<type of the delivery>`.
   */
  event_type?: string;
  manifest?: string;
  hmac?: HmacView;
  /**
   * The address for deliveries.
   */
  ingest_url: string;
  /**
   * The shared token, only in the response that created it: send it as X-Svc-Hook-Secret.
   */
  secret?: string;
  /**
   * What created it, if no person did: `graph:<graph>`.
   */
  owner?: string;
  set_at: string;
  /**
   * When the current secret or key was created.
   */
  secret_at: string;
  /**
   * When the old secret or key expires. Absent if there is none.
   */
  old_secret_until?: string;
  /**
   * When a delivery last used the old secret or key, accurate to about a minute. Absent if no delivery has used it.
   */
  last_old_secret_use?: string;
}
export interface HmacView {
  header: string;
  prefix: string;
  algorithm: 'sha256' | 'sha1' | 'sha512';
  encoding: 'hex' | 'base64';
}
