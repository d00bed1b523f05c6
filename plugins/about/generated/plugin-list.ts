// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PluginList {
  plugins: {
    id: string;
    version: string;
    /**
     * Part of svc; others come from SVC_PLUGINS.
     */
    builtin: boolean;
    summary: string;
    requires: string[];
    adds: {
      /**
       * The extension point.
       */
      point: string;
      /**
       * What it adds there, where these have names.
       */
      names: string[];
    }[];
    health: {
      name: string;
      ok: boolean;
    }[];
  }[];
}
