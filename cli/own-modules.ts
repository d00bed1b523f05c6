import { registerHooks } from 'node:module';
import { publishedBy } from './prebuilt/prebuilt.mjs';

let registered = false;

/** The scheme of modules that are part of the prebuilt kernel, as in `svc-module:svc/runs`. */
const SCHEME = 'svc-module:';

/**
 * Resolves `svc/plugin`, `svc/runs` and the other exports to the modules that this svc itself uses, wherever the folder of a
 * plugin lies and even if another svc is installed next to it. Call it before any code of a plugin is loaded.
 */
export function registerSvcModules(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('svc/')) return next(specifier, context);
      if (publishedBy(specifier) !== undefined) return { url: `${SCHEME}${specifier}`, shortCircuit: true };
      // Resolves as if this file had imported it: a package finds itself by its own name.
      return next(specifier, { ...context, parentURL: import.meta.url });
    },
    load(url, context, next) {
      if (!url.startsWith(SCHEME)) return next(url, context);
      return { format: 'module', source: moduleSource(url.slice(SCHEME.length)), shortCircuit: true };
    },
  });
}

/** A module that exports what the prebuilt kernel has, which is evaluated by then. */
function moduleSource(specifier: string): string {
  const names = Object.keys(publishedBy(specifier) ?? {}).filter((name) => name !== '__esModule' && name !== 'default');
  const runtime = JSON.stringify(new URL('./prebuilt/prebuilt.mjs', import.meta.url).href);
  return `import { publishedBy } from ${runtime};
export const { ${names.join(', ')} } = publishedBy(${JSON.stringify(specifier)});`;
}
