// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ServerSettings {
  settings: {
    name: string;
    /**
     * Present only for settings that contain no secret.
     */
    value?: string;
  }[];
  /**
   * The addresses that requests from the server can reach.
   */
  egress: string;
}
