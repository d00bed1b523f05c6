import { AccessControl, Clock, Database, definePlugin, HttpRoutes } from '../../kernel/contracts/index.ts';
import { AgentFigures } from '../agents/contract.ts';
import { EventLog } from '../bus/contract.ts';
import { RunFeed, RunFigures } from '../runs/contract.ts';
import { Attention } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { summaryRoute } from './routes.ts';
import { Needs } from './service/needs.ts';
import { Series } from './service/series.ts';
import { Summaries } from './service/summaries.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => {
    const shares = { clock: use(Clock), database: use(Database), log: use(EventLog) };
    const needs = new Needs({ ...shares, sources: use.all(Attention), control: use(AccessControl) });
    const summaries = new Summaries({
      ...shares,
      series: new Series(shares),
      feed: use(RunFeed),
      figures: use(RunFigures),
      agents: use(AgentFigures),
    });
    return summaryRoute(summaries, needs);
  });
});
