import { Clock, definePlugin, Log, type Resolve, SERVER_ROLES, Settings } from '../../../kernel/contracts/index.ts';
import { ConnectorChecks, ConnectorManifests, Connectors, ManifestReading, SignatureCheck } from './contract.ts';
import { signatureCheck } from './domain/signature.ts';
import manifest from './plugin.json' with { type: 'json' };
import { FolderWatch } from './service/folder-watch.ts';
import { LiveManifests } from './service/live-manifests.ts';
import { checkManifest, readManifests } from './service/read-manifests.ts';
import { connectorPaths, installedManifests } from './service/sources.ts';

export default definePlugin(manifest, (plugin) => {
  const live = plugin.own((use) => new LiveManifests(use.all(Connectors), () => use.all(ConnectorChecks)));
  plugin.bind(ConnectorManifests, live);
  plugin.bind(ManifestReading, () => ({
    installed: installedManifests,
    read: (paths) => readManifests(paths),
    check: checkManifest,
  }));
  plugin.bind(SignatureCheck, () => signatureCheck);
  plugin.onStart(SERVER_ROLES, async (use) => watchFolders(use, live(use)));
});

/** Without SVC_CONNECTORS there is nothing to watch. */
async function watchFolders(use: Resolve, manifests: LiveManifests): Promise<() => Promise<void>> {
  const paths = await connectorPaths(use(Settings).env);
  if (paths.length === 0) return async () => undefined;
  return new FolderWatch({
    paths,
    manifests,
    clock: use(Clock),
    log: use(Log).child({ plugin: 'manifests' }),
  }).start();
}
