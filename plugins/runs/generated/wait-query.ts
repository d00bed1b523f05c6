// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface WaitQuery {
  /**
   * A duration of at most 10m, such as `30s`: answers when the run is over, or with the run as it is when this time has passed or the server stops. Proxies in between often end a silent request after 60 s.
   */
  wait?: string;
}
