// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One durable call of an activity. Immutable once recorded (invariant I1).
 */
export interface JournalRecord {
  /**
   * From 0, without gaps.
   */
  position: number;
  /**
   * The verb: `step`, `sleep`, `wait-signal`, `state`…
   */
  kind: string;
  /**
   * Step name, signal name, `set <key>`…; empty for verbs without one.
   */
  name: string;
  /**
   * The number of earlier calls with this kind and name in the activity. `site` is `name#ordinal`.
   */
  ordinal: number;
  /**
   * Digest of the arguments that a replay compares; empty if the replay compares only kind and name.
   */
  digest: string;
  /**
   * Display only.
   */
  label?: string;
  exit_code: number;
  /**
   * stdout in base64, byte for byte, including NUL and a missing final newline. At most 2 MiB for a step, plus 64 KiB for an event's envelope.
   */
  output: string;
  /**
   * The reason why the call failed, for stderr and the steps view.
   */
  message?: string;
  /**
   * Epoch milliseconds by the agent's clock; for display only.
   */
  started_at: number;
}
