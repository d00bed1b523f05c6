// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Plugins can add methods of the same form as `oidc`.
 */
export interface SignInMethods {
  /**
   * Signing in with a token is always possible.
   */
  token: true;
  /**
   * Absent if SVC_OIDC_ISSUER is not set.
   */
  oidc?: {
    /**
     * Text of the button.
     */
    title: string;
    /**
     * The path that the button opens. `?to=<path>` sets the page to open after signing in.
     */
    start: string;
  };
  [k: string]: unknown;
}
