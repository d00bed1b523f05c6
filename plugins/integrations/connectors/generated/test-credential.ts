// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What to send: the `test` request of a connector, or a GET to a URL.
 */
export interface TestCredential {
  /**
   * The name of a connector.
   */
  connector?: string;
  /**
   * The fields of the connector that its test reads, such as the address of the system.
   */
  with?: {
    [k: string]: unknown;
  };
  /**
   * Instead of `connector`. For a `url_token`, it contains `{credential}` where the token belongs.
   */
  url?: string;
}
