import { createRequire } from 'node:module';

/**
 * Loads a library of CommonJS that a process needs only once, with what it loads itself. `forget` lets go of all that:
 * it would be held for as long as the process runs, and is loaded anew when somebody asks for it.
 */
export function loadOnce(name: string): { library: unknown; forget(): void } {
  const require = createRequire(import.meta.url);
  const before = new Set(Object.keys(require.cache));
  const library: unknown = require(name);
  const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
  return {
    library,
    forget() {
      for (const file of loaded) delete require.cache[file];
    },
  };
}
