// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What somebody asked a run, without the payload.
 */
export interface Ask {
  /**
   * `ask_…`
   */
  ask_id: string;
  name: string;
  /**
   * `open`: the run can answer until the deadline. `timed_out`: the deadline passed without an answer. `run_ended`: the run ended without an answer. All states except `open` are final.
   */
  state: 'open' | 'answered' | 'timed_out' | 'run_ended';
  /**
   * Who asked.
   */
  by?: string;
  sent_at: string;
  deadline: string;
  /**
   * When a wait of the run took the ask.
   */
  delivered_at?: string;
  /**
   * When it was answered, or ended in another way.
   */
  ended_at?: string;
  /**
   * Any JSON. Only for an answered ask, and not in lists. Secret values of the run are masked.
   */
  answer?: null | boolean | number | string | unknown[] | {};
}
