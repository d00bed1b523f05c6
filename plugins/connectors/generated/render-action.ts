// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What an action of a connector is given.
 */
export interface RenderAction {
  /**
   * The fields of the connector.
   */
  with?: {
    [k: string]: unknown;
  };
  /**
   * The inputs of the action.
   */
  input?: {
    [k: string]: unknown;
  };
  /**
   * The idempotency key of the node; one is made up without it.
   */
  key?: string;
  /**
   * True: a credential is named although the connector can do without.
   */
  credential?: boolean;
}
