// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A hook with a shared token, or, with `manifest` or `hmac`, one whose deliveries are signed.
 */
export interface PutHook {
  /**
   * Of every event. Default: `<hook>.<type of the delivery>` by a manifest that finds one, else `hook.<hook>`.
   */
  event_type?: string;
  /**
   * Name of a connector that says how its deliveries are signed.
   */
  manifest?: string;
  /**
   * Beside `manifest`: the key that the far end signs with. Never shown again.
   */
  key?: string;
  hmac?: HmacBody;
}
/**
 * How deliveries are signed, where no manifest says so: an HMAC of the body in a header.
 */
export interface HmacBody {
  header: string;
  /**
   * Never shown again.
   */
  key: string;
  /**
   * Before the signature in its header: `sha256=`.
   */
  prefix?: string;
  /**
   * Default sha256.
   */
  algorithm?: 'sha256' | 'sha1' | 'sha512';
  /**
   * Default hex.
   */
  encoding?: 'hex' | 'base64';
}
