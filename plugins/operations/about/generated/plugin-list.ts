// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface PluginList {
  plugins: {
    id: string;
    version: string;
    /**
     * Whether the plugin is part of svc; others come from SVC_PLUGINS.
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
       * The names of the plugin's contributions to this extension point, if they have names.
       */
      names: string[];
    }[];
    health: {
      name: string;
      ok: boolean;
    }[];
  }[];
}
