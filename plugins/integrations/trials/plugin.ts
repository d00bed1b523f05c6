import { Database, definePlugin, HttpRoutes, Ids, Sealer, Settings } from '../../../kernel/contracts/index.ts';
import { EventBus } from '../../events/bus/contract.ts';
import { ForgeEvents } from '../forges/contract.ts';
import { RunCreation } from '../../engine/runs/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { trialRoute } from './routes.ts';
import { Trials } from './service/trials.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => {
    // Its callers claim what a forge has sent, so it exists only where a server belongs to one person and is in memory.
    if (use(Settings).role !== 'local') return [];
    const trials = new Trials({
      database: use(Database),
      sealer: use(Sealer),
      ids: use(Ids),
      bus: use(EventBus),
      creation: use(RunCreation),
      forges: use(ForgeEvents),
    });
    return [trialRoute(trials)];
  });
});
