// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ServerSettings {
  settings: {
    name: string;
    /**
     * Only of settings that hold no secret.
     */
    value?: string;
  }[];
  /**
   * What requests of the server may reach.
   */
  egress: string;
}
