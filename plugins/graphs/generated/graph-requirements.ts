// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Whether what a graph names is there now. Names that expressions give are not listed.
 */
export interface GraphRequirements {
  /**
   * Every entry is `ok`.
   */
  ready: boolean;
  credentials: RequiredCredential[];
}
export interface RequiredCredential {
  node_id: string;
  /**
   * Of the credential or account.
   */
  name: string;
  state: 'ok' | 'missing' | 'wrong_kind' | 'conflict' | 'needs_reconnect';
  /**
   * With `wrong_kind`: the kinds that would do, like `bearer|api_key|basic`.
   */
  required_kind?: string;
  /**
   * With `wrong_kind`.
   */
  stored_kind?: string;
}
