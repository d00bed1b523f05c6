// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AskQuery {
  /**
   * A duration of at most 10m, such as `30s`. The response is sent when the ask is no longer open or, with the open ask, when this time has passed or the server stops. Proxies often close an idle request after 60 s.
   */
  wait?: string;
}
