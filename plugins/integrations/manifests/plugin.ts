import { definePlugin, type Resolve } from '../../../kernel/contracts/index.ts';
import { ConnectorManifests, Connectors, ManifestReading, SignatureCheck } from './contract.ts';
import { signatureCheck } from './domain/signature.ts';
import manifest from './plugin.json' with { type: 'json' };
import { checkManifest, readManifests } from './service/read-manifests.ts';
import { installedManifests } from './service/sources.ts';

/** The manifests of this process. They are read once at start and never change. */
function makeCatalog(use: Resolve): ConnectorManifests {
  const manifests = use.all(Connectors).map((one) => one.manifest);
  const byName = new Map(manifests.map((one) => [one.name, one]));
  const sorted = manifests.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { find: (name) => byName.get(name), all: () => sorted };
}

export default definePlugin(manifest, (plugin) => {
  plugin.bind(ConnectorManifests, makeCatalog);
  plugin.bind(ManifestReading, () => ({ installed: installedManifests, read: readManifests, check: checkManifest }));
  plugin.bind(SignatureCheck, () => signatureCheck);
});
