// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AccountTest {
  /**
   * `untested`: the provider declares no request for it.
   */
  result: 'works' | 'refused' | 'unreachable' | 'untested';
  /**
   * The HTTP status of the response.
   */
  status?: number;
  /**
   * What was found, and what to do. Never contains the response or the token.
   */
  says: string;
}
