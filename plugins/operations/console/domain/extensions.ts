import { basename, dirname } from 'node:path';
import { LoadedPlugins, type Resolve } from '../../../../kernel/contracts/index.ts';
import { type ConsolePage, ConsolePages, type ConsolePanel, ConsolePanels } from '../contract.ts';

type From<T> = T & { plugin: string };

/** The pages and panels that plugins contribute, with the folders of their modules. */
export interface Extensions {
  pages: readonly From<ConsolePage>[];
  panels: readonly From<ConsolePanel>[];
  /** By plugin. */
  folders: ReadonlyMap<string, string>;
}

/** Throws when the modules of a plugin do not lie in one folder. */
export function extensionsOf(use: Resolve): Extensions {
  const made = [...use.all(ConsolePages), ...use.all(ConsolePanels)];
  const owners = new Map(
    use(LoadedPlugins)
      .contributed()
      .map((one) => [one.made, one.plugin]),
  );
  const folders = new Map<string, string>();
  for (const one of made) {
    const [plugin, folder] = [owners.get(one)!, dirname(one.module)];
    const other = folders.get(plugin);
    if (other !== undefined && other !== folder)
      throw new Error(`the modules of ${plugin} are in ${other} and in ${folder}; put them into one folder`);
    folders.set(plugin, folder);
  }
  const from = <T extends object>(list: readonly T[]) => list.map((one) => ({ ...one, plugin: owners.get(one)! }));
  return { pages: from(use.all(ConsolePages)), panels: from(use.all(ConsolePanels)), folders };
}

export const addressOf = (plugin: string, module: string): string => `/console/plugins/${plugin}/${basename(module)}`;
