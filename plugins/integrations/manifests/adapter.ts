import { sep } from 'node:path';
import { type Adapt, type AdaptedPlugin, definePlugin } from '../../../kernel/contracts/index.ts';
import { type Connector, Connectors, ManifestErrors } from './contract.ts';
import { formatProblems, HOME, installedManifests } from './service/sources.ts';

/**
 * Turns each connector into a plugin that contributes its manifest. Throws `connector_invalid` with every problem of
 * every file.
 */
export const adapt: Adapt = async ({ env }) => {
  const { connectors, problems } = await installedManifests(env);
  if (problems.length > 0) throw ManifestErrors.connectorInvalid(formatProblems(problems));
  return connectors.map(pluginOf);
};

function pluginOf(connector: Connector): AdaptedPlugin {
  const { manifest, origin } = connector;
  const builtin = origin.startsWith(`${HOME}${sep}`);
  const plugin = definePlugin(
    {
      id: `connector:${manifest.name}`,
      version: '1.0.0',
      kernel: '^1',
      requires: ['manifests'],
      provides: [],
      contributes: [Connectors.name],
      summary: manifest.title,
    },
    (setup) => setup.contribute(Connectors, () => ({ ...connector, builtin, watched: !builtin })),
  );
  return { plugin, origin, builtin };
}
