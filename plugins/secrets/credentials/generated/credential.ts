// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A credential without its values.
 */
export interface Credential {
  name: string;
  kind: 'bearer' | 'api_key' | 'basic' | 'url_token';
  /**
   * The only hosts that requests send it to. If absent, requests can send it to any host.
   */
  hosts?: string[];
  /**
   * Where its secret field (the token, value or password) is in a secret store. Without the member, svc has it.
   */
  from?: {
    store: string;
    path: string;
    field?: string;
  };
}
