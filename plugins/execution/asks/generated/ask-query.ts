// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AskQuery {
  /**
   * A duration of at most 10m, such as `30s`. The response is sent when the ask is no longer open. If this time passes or the server stops first, the response contains the open ask. Proxies often close an idle request after 60 s.
   */
  wait?: string;
}
