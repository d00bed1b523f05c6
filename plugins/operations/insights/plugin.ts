import { Clock, Database, definePlugin, HttpRoutes } from '../../../kernel/contracts/index.ts';
import { EventLog } from '../../events/bus/contract.ts';
import { HandlerDirectory } from '../../events/handlers/contract.ts';
import { RunReader, RunTimesReader } from '../../engine/runs/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { insightsRoute } from './routes.ts';
import { IdleHandlers } from './service/idle-handlers.ts';
import { RunInsights } from './service/run-insights.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => {
    const reader = use(RunReader);
    const insights = new RunInsights({ reader, times: use(RunTimesReader), masks: use(RunMasks) });
    const handlers = new IdleHandlers({ reader, directory: use(HandlerDirectory), log: use(EventLog) });
    return insightsRoute({ insights, handlers, database: use(Database), clock: use(Clock) });
  });
});
