// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ConsoleExtensions {
  pages: {
    plugin: string;
    name: string;
    title: string;
    role: 'viewer' | 'member' | 'admin';
    /**
     * Address of an ES module that exports `mount`.
     */
    module: string;
    /**
     * The page of the menu below which it stands.
     */
    area?: string;
  }[];
  panels: {
    plugin: string;
    name: string;
    title: string;
    role: 'viewer' | 'member' | 'admin';
    /**
     * Address of an ES module that exports `mount`.
     */
    module: string;
    /**
     * The page on which it stands.
     */
    place: string;
  }[];
}
