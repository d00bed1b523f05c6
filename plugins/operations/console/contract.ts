import { extensionPoint, type ProjectRole } from '../../../kernel/contracts/index.ts';
import type { ConsoleArea, ConsolePlace } from './contract/places.ts';
import { faultOf } from './contract/faults.ts';

export type { ConsoleContext, ConsoleModule, ConsoleRequest } from './contract/context.ts';
export type { ConsoleArea, ConsolePlace } from './contract/places.ts';

interface Shown {
  /** kebab-case, and nobody else's. */
  name: string;
  title: string;
  /** Who sees it. Default: viewer. */
  role?: ProjectRole;
  /**
   * Path of an ES module (`.js`, `.mjs`) that exports `mount` of `ConsoleModule`. Everything in its folder is served to anybody, below
   * `/console/plugins/<plugin>/`: keep nothing else there. All modules of a plugin lie in one folder.
   */
  module: string;
}

/** A page at `/orgs/<org>/projects/<project>/plugins/<plugin>/<name>`. */
export interface ConsolePage extends Shown {
  /** Below which page of the menu it stands. Default: at the end. */
  area?: ConsoleArea;
}

export interface ConsolePanel extends Shown {
  place: ConsolePlace;
}

export const ConsolePages = extensionPoint<ConsolePage>('console.ConsolePages', {
  key: ({ name }) => name,
  check: (page) => faultOf(page),
});

export const ConsolePanels = extensionPoint<ConsolePanel>('console.ConsolePanels', {
  key: ({ name }) => name,
  check: (panel) => faultOf(panel),
});
