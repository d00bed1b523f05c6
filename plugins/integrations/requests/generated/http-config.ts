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
  failed_when?: FailedWhen;
  paginate?: Pagination;
  /**
   * Time limit for the whole exchange, such as `30s`; at most 1h. Default 60s.
   */
  timeout?: string;
}
/**
 * Which responses with a success status fail the attempt. Each member is CEL over `status`, `headers` and `body`.
 */
export interface FailedWhen {
  /**
   * True for a failure, such as `body.ok == false`. If it cannot be evaluated, the response is a failure too.
   */
  when: string;
  /**
   * The text of the error, such as `body.error`. Default: the start of the body.
   */
  message?: string;
  /**
   * True if another attempt can succeed, such as `body.error == "ratelimited"`. Default: every failure can be retried.
   */
  retry_when?: string;
}
/**
 * Reads a list that the other system returns in pages: the request is sent for each page, and the output's `body` is the list of all items.
 */
export interface Pagination {
  /**
   * What selects the next page: a cursor in the response, the number of the page, the number of items before it, or a link in the response.
   */
  kind: 'cursor' | 'page' | 'offset' | 'link';
  /**
   * CEL: the list in a response, such as `body.items`.
   */
  items: string;
  /**
   * CEL, for `cursor` and `link`: the next cursor or address. An empty or missing value ends the list. Default for `link`: `next` in the Link header.
   */
  next?: string;
  /**
   * CEL, for `page` and `offset`: whether there are more pages, such as `body.has_more`. Default: until a page has no items.
   */
  more?: string;
  /**
   * The parameter of the URL for the cursor, the page or the offset.
   */
  query?: string;
  /**
   * Instead of `query`: a JSON pointer into the request's body.
   */
  body?: string;
  /**
   * The number of the first page (default 1) or the first offset (default 0).
   */
  first?: number;
  /**
   * At most this many pages are read. Default 100.
   */
  max_pages?: number;
  /**
   * At most this many items are returned. Default 10,000.
   */
  max_items?: number;
}
