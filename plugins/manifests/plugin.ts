import { resolve } from 'node:path';
import { definePlugin, SERVER_ROLES, Settings } from '../../kernel/contracts/index.ts';
import { ConnectorManifests, SignatureCheck } from './contract.ts';
import { signatureCheck } from './domain/signature.ts';
import manifest from './plugin.json' with { type: 'json' };
import { ManifestCatalog } from './service/catalog.ts';

/** The built-in connectors of the package. */
const HOME = resolve(import.meta.dirname, '../../connectors');

export default definePlugin(manifest, (plugin) => {
  const catalog = plugin.own(() => new ManifestCatalog());
  plugin.bind(ConnectorManifests, catalog);
  plugin.bind(SignatureCheck, () => signatureCheck);
  plugin.onInit(SERVER_ROLES, async (use) => {
    const { SVC_CONNECTORS = '' } = use(Settings).env;
    const extra = SVC_CONNECTORS.split(':').filter((entry) => entry !== '');
    await catalog(use).load(HOME, extra);
  });
});
