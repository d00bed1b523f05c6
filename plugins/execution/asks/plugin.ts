import {
  Clock,
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  Metrics,
  type Resolve,
  Sealer,
} from '../../../kernel/contracts/index.ts';
import { JournaledVerbs, RunGuard, RunTables, WaitKinds, WaitResolver, Wakeups } from '../../engine/runs/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { askTables } from './migrations/0001-asks.ts';
import manifest from './plugin.json' with { type: 'json' };
import { askRoutes } from './routes.ts';
import { AskWaits } from './service/ask-waits.ts';
import { Asks } from './service/asks.ts';
import { answerJournaledVerb, answerVerb } from './verbs/answer.ts';
import { waitAskKind, waitAskVerb } from './verbs/wait-ask.ts';

const nowOf = (use: Resolve) => {
  const database = use(Database);
  return () => database.now();
};

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([askTables]);
  plugin.contribute(Verbs, () => [waitAskVerb, answerVerb]);
  plugin.contribute(WaitKinds, (use) => waitAskKind(use(Sealer), nowOf(use)));
  plugin.contribute(JournaledVerbs, (use) => answerJournaledVerb(use(Sealer), nowOf(use)));
  plugin.contribute(RunTables, () => ['asks_asks', 'asks_waits'].map((table) => ({ table, column: 'run_id' })));
  plugin.contribute(HttpRoutes, (use) => {
    const asks = new Asks({
      database: use(Database),
      sealer: use(Sealer),
      ids: use(Ids),
      audit: use(Audit),
      guard: use(RunGuard),
      resolver: use(WaitResolver),
      masks: use(RunMasks),
    });
    const read = asks.read.bind(asks);
    const waits = new AskWaits({ clock: use(Clock), wakeups: use(Wakeups), read });
    use(Metrics).gauge('svc_asks_waiting_requests', 'Requests that wait for the answer of a run.', () => waits.size);
    return askRoutes({ asks, waits });
  });
});
