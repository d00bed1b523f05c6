// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The response to a request: `result`, or `error` with a JSON-RPC error code.
 */
export interface McpAnswer {
  jsonrpc: '2.0';
  id: string | number;
  /**
   * Depends on the method.
   */
  result?: {
    [k: string]: unknown;
  };
  error?: {
    code: number;
    message: string;
  };
}
