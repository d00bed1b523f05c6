// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Whether the things that a graph names exist now. Names from expressions are not listed.
 */
export interface GraphRequirements {
  /**
   * True if every entry is `ok`.
   */
  ready: boolean;
  /**
   * By name, the kinds that fit all of its nodes. A name that is missing can be of any kind.
   */
  kinds: {
    [k: string]: ('bearer' | 'api_key' | 'basic' | 'url_token')[];
  };
  credentials: RequiredCredential[];
}
export interface RequiredCredential {
  node_id: string;
  /**
   * The name of the credential or account.
   */
  name: string;
  state: 'ok' | 'missing' | 'wrong_kind' | 'conflict' | 'needs_reconnect';
  /**
   * With `wrong_kind`: the accepted kinds, like `bearer|api_key|basic`.
   */
  required_kind?: string;
  /**
   * With `wrong_kind`.
   */
  stored_kind?: string;
}
