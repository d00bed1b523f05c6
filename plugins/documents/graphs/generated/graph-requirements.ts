// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Whether a graph's credentials exist. Names that expressions compute are not listed.
 */
export interface GraphRequirements {
  /**
   * True if every entry is `ok`.
   */
  ready: boolean;
  /**
   * For each name, the kinds that work for every node that uses it. A credential whose name is not listed can be of any kind.
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
  state: 'ok' | 'missing' | 'wrong_kind' | 'conflict' | 'needs_reconnect' | 'host_not_allowed';
  /**
   * With `wrong_kind`: the accepted kinds, such as `bearer|api_key|basic`.
   */
  required_kind?: string;
  /**
   * With `wrong_kind`: the kind of the stored credential.
   */
  stored_kind?: string;
}
