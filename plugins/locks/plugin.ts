import {
  Clock,
  Database,
  definePlugin,
  HttpRoutes,
  Log,
  type PluginManifest,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import {
  JournaledVerbs,
  RerunParts,
  RunObservers,
  RunTables,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../runs/contract.ts';
import { LeaseOwners, Leases } from './contract.ts';
import { lockTables } from './migrations/0001-locks.ts';
import manifest from './plugin.json' with { type: 'json' };
import { listLocksRoute } from './routes/list-locks.ts';
import { refusePastLock } from './service/rerun-check.ts';
import { releaseEnded } from './service/release-ended.ts';
import { GRANTED, Teller } from './service/teller.ts';
import { LeaseStore } from './store/lease-store.ts';
import { OwnLeases } from './store/own-leases.ts';
import { lockStepVerb } from './wait/lock-step.ts';
import { lockWaitKind } from './wait/lock-wait.ts';
import { scriptOwners } from './wait/owners.ts';

const makeStore = (use: Resolve) =>
  new LeaseStore({
    database: use(Database),
    owners: () => use.all(LeaseOwners),
    granted: () => use(Wakeups).topic(GRANTED),
  });

const makeTeller = (use: Resolve) =>
  new Teller({
    store: use(OwnLeases),
    owners: () => use.all(LeaseOwners),
    database: use(Database),
    sealer: use(Sealer),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'leases' }),
  });

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([lockTables]);
  plugin.bind(OwnLeases, makeStore);
  plugin.bind(Leases, (use) => use(OwnLeases));
  plugin.contribute(WaitKinds, (use) => lockWaitKind(use(OwnLeases)));
  plugin.contribute(JournaledVerbs, (use) => lockStepVerb(use(OwnLeases)));
  plugin.contribute(LeaseOwners, (use) => scriptOwners(() => use(WaitResolver)));
  plugin.contribute(RunObservers, (use) => releaseEnded(() => use(OwnLeases)));
  plugin.contribute(RunTables, () => ({ table: 'locks_tickets', column: 'run_id' }));
  plugin.contribute(RerunParts, () => refusePastLock);
  plugin.contribute(HttpRoutes, (use) => [listLocksRoute(use(OwnLeases), use(Database))]);
  plugin.onStart(SERVER_ROLES, async (use) => makeTeller(use).start());
});
