// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A hook with a shared token. If `manifest` or `hmac` is set, its deliveries are signed instead.
 */
export interface PutHook {
  /**
   * The type of every event. Default: `<hook>.<type of the delivery>` if a manifest finds a type, otherwise `hook.<hook>`.
   */
  event_type?: string;
  /**
   * Name of a connector that defines how its deliveries are signed.
   */
  manifest?: string;
  /**
   * With `manifest`: the key that the sender signs with. Never shown again.
   */
  key?: string;
  hmac?: HmacBody;
}
/**
 * How deliveries are signed, if no manifest defines it: an HMAC of the body in a header.
 */
export interface HmacBody {
  header: string;
  /**
   * Never shown again.
   */
  key: string;
  /**
   * The text before the signature in its header, such as `sha256=`.
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
