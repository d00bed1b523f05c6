// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Whether what a graph names is there now. Names that expressions give are not listed.
 */
export interface GraphRequirements {
  /**
   * Every entry is `ok`.
   */
  ready: boolean;
  /**
   * By name, the kinds that do for all of its nodes. A name that is not here may be of any.
   */
  kinds: {
    [k: string]: ('bearer' | 'api_key' | 'basic' | 'url_token')[];
  };
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
