import { registerHooks } from 'node:module';

let registered = false;

/**
 * Lets plugins, wherever their folders lie, find `svc/plugin`, `svc/runs` and the others in this svc: the very modules that
 * its server uses, also where another svc is installed beside the plugin. To be called before a plugin's code is loaded.
 */
export function shareOwnModules(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    // As if this file had asked: a package finds itself by its name.
    resolve: (specifier, context, next) =>
      next(specifier, specifier.startsWith('svc/') ? { ...context, parentURL: import.meta.url } : context),
  });
}
