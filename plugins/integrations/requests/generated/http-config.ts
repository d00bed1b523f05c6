// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The config of an `http` node.
 */
export interface HttpConfig {
  /**
   * http: or https:. `{credential}` is replaced with the token of a url_token credential.
   */
  url: string;
  /**
   * Default: GET, or POST with a body.
   */
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /**
   * They override every header that the service would send. With null, the header is not sent.
   */
  headers?: {
    [k: string]: string | number | boolean | null;
  };
  /**
   * Added to the URL, encoded. For a list, the name is repeated for each item. With null, the parameter is omitted.
   */
  query?: {
    [k: string]: string | number | boolean | null | (string | number | boolean)[];
  };
  /**
   * JSON, or a string that is sent unchanged. By default, no body is sent.
   */
  body?: {
    [k: string]: unknown;
  };
  /**
   * How the body is encoded. Default: text for a string, otherwise json.
   */
  encoding?: 'json' | 'form' | 'text';
  /**
   * Name of a credential or a connected account.
   */
  credential?: string;
  /**
   * The statuses that fail the attempt. A response with any other status is data.
   *
   * @maxItems 500
   */
  retry_on?: number[];
  /**
   * Whether every 4xx and 5xx status fails the attempt.
   */
  fail_on_error_status?: boolean;
  /**
   * Time limit for the whole exchange, such as `30s`; at most 1h. Default 60s.
   */
  timeout?: string;
}
