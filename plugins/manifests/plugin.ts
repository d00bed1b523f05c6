import { resolve } from 'node:path';
import { definePlugin, type PluginManifest, SERVER_ROLES, Settings } from '../../kernel/contracts/index.ts';
import { ConnectorManifests, SignatureCheck } from './contract.ts';
import { signatureCheck } from './domain/signature.ts';
import manifest from './plugin.json' with { type: 'json' };
import { ManifestCatalog, OwnCatalog } from './service/catalog.ts';

/** The connectors of the package, beside its plugins. */
const HOME = resolve(import.meta.dirname, '../../connectors');

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.bind(OwnCatalog, () => new ManifestCatalog());
  plugin.bind(ConnectorManifests, (use) => use(OwnCatalog));
  plugin.bind(SignatureCheck, () => signatureCheck);
  plugin.onInit(SERVER_ROLES, async (use) => {
    const { SVC_CONNECTORS = '' } = use(Settings).env;
    const extra = SVC_CONNECTORS.split(':').filter((entry) => entry !== '');
    await use(OwnCatalog).load(HOME, extra);
  });
});
