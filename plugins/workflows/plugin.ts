import { definePlugin, Sealer } from '../../kernel/contracts/index.ts';
import { RunCreation } from '../runs/contract.ts';
import { StoredWorkflows } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { createStoredWorkflows } from './service/stored-workflows.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.bind(StoredWorkflows, (use) =>
    createStoredWorkflows({ sealer: use(Sealer), creation: () => use(RunCreation) }),
  );
});
