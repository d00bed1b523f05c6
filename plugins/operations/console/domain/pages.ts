import { HTML, type HttpPage, type ReadStaticFile, staticFiles } from '../../../platform/http/contract.ts';

const NOT_BUILT = Buffer.from(`<!doctype html><title>svc</title>
<p>The console was not built. In a clone of the project, <code>npm ci</code> builds it; you do not need to restart the server.</p>`);

/** Below `/console/plugins/`: the plugin, and a file of its modules' folder. */
const OF_A_PLUGIN = /^plugins\/([^/]+)\/(.*)$/;

/** Serves `/console/<file>`, the files of plugins' modules, and the page itself at its entry paths. */
export function consolePages(folder: string, modules: ReadonlyMap<string, string> = new Map()): HttpPage[] {
  const file = staticFiles(folder, { built: true });
  const ofPlugins = new Map([...modules].map(([plugin, path]) => [plugin, staticFiles(path, { built: false })]));
  const any: ReadStaticFile = async (name) => {
    const [, plugin = '', below = ''] = OF_A_PLUGIN.exec(name) ?? [];
    return plugin === '' ? file(name) : ofPlugins.get(plugin)?.(below);
  };
  const entry = async () => (await file('index.html')) ?? { body: NOT_BUILT, type: HTML };
  return [
    { path: '/', serve: entry },
    { path: '/sign-in', serve: entry },
    // `run_url` points here; the page finds the run from its address.
    { path: '/orgs/*', serve: entry },
    { path: '/console/*', serve: (path) => any(path.slice('/console/'.length)) },
  ];
}
