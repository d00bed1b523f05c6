import { Database, definePlugin, HttpRoutes, Sealer } from '../../../kernel/contracts/index.ts';
import { JournaledVerbs, RerunParts } from '../../engine/runs/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { stateRoutes } from './routes.ts';
import { ProjectState } from './service/project-state.ts';
import { copyState } from './service/rerun-copy.ts';
import { stateVerb } from './verbs/state.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(JournaledVerbs, (use) => stateVerb(use(Database), use(Sealer)));
  plugin.contribute(RerunParts, (use) => copyState(use(Database), use(Sealer)));
  plugin.contribute(HttpRoutes, (use) => stateRoutes(new ProjectState(use(Database), use(Sealer), use(Audit))));
});
