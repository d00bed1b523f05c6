import { join } from 'node:path';
import { AccessControl, Clock, Database, definePlugin, HttpRoutes } from '../../../kernel/contracts/index.ts';
import { AgentStats } from '../../execution/agents/contract.ts';
import { EventLog } from '../../events/bus/contract.ts';
import { RunFeed, RunFigures } from '../../engine/runs/contract.ts';
import { Attention } from '../../platform/resources/contract.ts';
import { ConsolePanels } from '../console/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { summaryRoute } from './routes.ts';
import { AttentionList } from './service/attention-list.ts';
import { Series } from './service/series.ts';
import { Summaries } from './service/summaries.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => {
    const shares = { clock: use(Clock), database: use(Database), log: use(EventLog) };
    const needs = new AttentionList({ ...shares, sources: use.all(Attention), control: use(AccessControl) });
    const summaries = new Summaries({
      ...shares,
      series: new Series(shares),
      feed: use(RunFeed),
      run_stats: use(RunFigures),
      agents: use(AgentStats),
    });
    return summaryRoute(summaries, needs);
  });
  plugin.contribute(ConsolePanels, () => ({
    name: 'capacity',
    title: 'Capacity',
    place: 'overview' as const,
    module: join(import.meta.dirname, 'console/capacity.mjs'),
  }));
});
