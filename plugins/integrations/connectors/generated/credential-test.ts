// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CredentialTest {
  /**
   * `unclear`: the response does not show whether the credential is accepted. `untested`: the connector declares no test request.
   */
  result: 'works' | 'refused' | 'unreachable' | 'unclear' | 'untested';
  /**
   * The HTTP status of the response.
   */
  status?: number;
  /**
   * What was found, and what to do. Never contains the response or the credential.
   */
  says: string;
}
