// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Body of `POST {scoped}/runs/{run}/asks`. If the `Idempotency-Key` header contains a key that was used before for the run, the response contains the first ask.
 */
export interface CreateAsk {
  /**
   * The name that the run waits for with `svc wait-ask`.
   */
  name: string;
  /**
   * Any JSON of at most 256 KiB; null by default.
   */
  payload?: null | boolean | number | string | unknown[] | {};
  /**
   * How long the run has to answer: a duration such as `30s`, at most 30d. The default is 5m.
   */
  timeout?: string;
}
