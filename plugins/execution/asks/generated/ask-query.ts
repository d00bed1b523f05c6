// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AskQuery {
  /**
   * How long to wait, at most 10m: a duration such as `30s`. The response is sent when the ask is no longer open. If this time passes or the server stops first, the response contains the open ask. Proxies often close an idle request after 60 s.
   */
  wait?: string;
}
