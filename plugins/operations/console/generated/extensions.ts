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
     * The page below which it appears in the menu.
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
     * The page that shows it.
     */
    place: string;
  }[];
}
