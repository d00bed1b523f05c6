// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface WaitQuery {
  /**
   * How long to wait, at most 10m: a duration such as `30s`. The response is sent when the run ends. If this time passes or the server stops first, the response contains the unfinished run. Proxies often close an idle request after 60 s.
   */
  wait?: string;
}
