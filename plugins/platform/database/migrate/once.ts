import { createRequire } from 'node:module';

/**
 * Loads a CommonJS library that a process needs only once. `forget` drops it and all its dependencies from the module cache,
 * which would otherwise hold them for as long as the process runs. A later load works as usual.
 */
export function loadUncached(name: string): { library: unknown; unload(): void } {
  const require = createRequire(import.meta.url);
  const before = new Set(Object.keys(require.cache));
  const library: unknown = require(name);
  const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
  return {
    library,
    unload() {
      for (const file of loaded) delete require.cache[file];
    },
  };
}
