// What `svc worker` starts: imports the files that define workflows, and serves them.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const OWN = { 'svc/sdk': './sdk.mjs', 'svc/sdk/testing': './testing.mjs' };

// The files get the SDK of this agent, whether or not their folder has one.
registerHooks({
  resolve: (specifier, context, next) =>
    Object.hasOwn(OWN, specifier)
      ? { url: new URL(OWN[specifier], import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
});

const { serve } = await import('./sdk.mjs');
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
await serve();
