// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Body of `POST {scoped}/events`. If the `Idempotency-Key` header contains a key that was used before in the project, the response contains the first event.
 */
export interface EmitEventBody {
  /**
   * 1 to 64 characters from A-Z a-z 0-9 . _ -. push, manual, spawn, schedule.tick, run.* and svc.* are reserved.
   */
  type: string;
  /**
   * The subject, 1 to 255 characters. Runs with another subject do not receive the event. Without a subject, the event is a broadcast.
   */
  key?: string;
  /**
   * Any JSON; null by default.
   */
  payload?: null | boolean | number | string | unknown[] | {};
}
