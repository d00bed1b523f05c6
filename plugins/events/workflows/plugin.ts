import { deferred, definePlugin, provide, Sealer } from '../../../kernel/contracts/index.ts';
import { RunCreation } from '../../engine/runs/contract.ts';
import { StoredWorkflows } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { createStoredWorkflows } from './service/stored-workflows.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.bind(StoredWorkflows, provide(createStoredWorkflows, { sealer: Sealer, creation: deferred(RunCreation) }));
});
