import { Clock, definePlugin, HttpRoutes } from '../../../kernel/contracts/index.ts';
import { RunReader } from '../../engine/runs/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { RunFilterCheck, RunFinders } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { runViewRoutes } from './routes/index.ts';
import { parseRunFilter, parseRunTerms } from './service/run-filter.ts';
import { RunLists } from './service/run-lists.ts';

export default definePlugin(manifest, (plugin) => {
  const lists = plugin.own((use) => new RunLists(use(RunReader), use(RunMasks), () => use.all(RunFinders)));
  plugin.bind(RunFilterCheck, (use) => ({
    check(query, at) {
      parseRunFilter(query, use(Clock).now(), at);
      const terms = parseRunTerms(query);
      if (terms) lists(use).checkTerms(terms, at);
    },
  }));
  plugin.contribute(HttpRoutes, (use) => runViewRoutes(use, lists(use)));
});
