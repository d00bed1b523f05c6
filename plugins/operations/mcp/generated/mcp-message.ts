// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A Model Context Protocol message: a JSON-RPC 2.0 request or notification.
 */
export interface McpMessage {
  jsonrpc: '2.0';
  /**
   * Absent in a notification, which gets no response.
   */
  id?: string | number;
  /**
   * For example `tools/call`.
   */
  method?: string;
  /**
   * Depends on the method.
   */
  params?: {
    [k: string]: unknown;
  };
  [k: string]: unknown;
}
