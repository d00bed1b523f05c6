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
     * Path of the button; `?to=<path>` sets the page to open afterwards.
     */
    start: string;
  };
  [k: string]: unknown;
}
