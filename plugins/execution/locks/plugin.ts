import {
  childLog,
  Clock,
  Database,
  definePlugin,
  HttpRoutes,
  Log,
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import {
  JournaledVerbs,
  RerunParts,
  RunObservers,
  RunTables,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../../engine/runs/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { LeaseOwners, Leases } from './contract.ts';
import { lockTables } from './migrations/0001-locks.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { trustAndReplacement } from './migrations/0003-trust-and-replacement.ts';
import { floors } from './migrations/0004-floors.ts';
import { limits } from './migrations/0005-limits.ts';
import { throttles } from './migrations/0006-throttles.ts';
import manifest from './plugin.json' with { type: 'json' };
import { listLocksRoute } from './routes.ts';
import { GroupSweeper } from './service/group-sweeper.ts';
import { rerunLockCheck } from './service/rerun-check.ts';
import { releaseEndedRuns } from './service/release-ended.ts';
import { GRANTED_TOPIC, LeaseNotifier } from './service/lease-notifier.ts';
import { THROTTLED_TOPIC, ThrottleWaker } from './service/throttle-waker.ts';
import { LeaseStore } from './store/lease-store.ts';
import { lockVerb } from './verbs/lock.ts';
import { lockStepVerb } from './verbs/lock-step.ts';
import { lockWaitKind } from './verbs/lock-wait.ts';
import { scriptOwners } from './verbs/owners.ts';

const makeStore = provide(LeaseStore, {
  database: Database,
  owners: (use) => () => use.all(LeaseOwners),
  onGranted: (use) => () => use(Wakeups).topic(GRANTED_TOPIC),
  onThrottled: (use) => () => use(Wakeups).topic(THROTTLED_TOPIC),
});

const makeNotifier = (use: Resolve, store: LeaseStore) =>
  new LeaseNotifier({
    store,
    owners: () => use.all(LeaseOwners),
    database: use(Database),
    sealer: use(Sealer),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'leases' }),
  });

const makeWaker = (use: Resolve, store: LeaseStore) =>
  new ThrottleWaker({
    store,
    database: use(Database),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'leases' }),
  });

const makeSweeper = provide(GroupSweeper, { database: Database, clock: Clock, log: childLog('leases') });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([lockTables, lockVersions, trustAndReplacement, floors, limits, throttles]);
  const leases = plugin.own(makeStore);
  plugin.bind(Leases, leases);
  plugin.contribute(Verbs, () => lockVerb);
  plugin.contribute(WaitKinds, (use) => lockWaitKind(leases(use)));
  plugin.contribute(JournaledVerbs, (use) => lockStepVerb(leases(use)));
  plugin.contribute(LeaseOwners, (use) => scriptOwners(() => use(WaitResolver)));
  plugin.contribute(RunObservers, (use) => releaseEndedRuns(() => leases(use)));
  plugin.contribute(RunTables, () => ({ table: 'locks_tickets', column: 'run_id' }));
  plugin.contribute(RerunParts, () => rerunLockCheck);
  plugin.contribute(HttpRoutes, (use) => [listLocksRoute(use(Database))]);
  plugin.onStart(SERVER_ROLES, async (use) => makeNotifier(use, leases(use)).start());
  plugin.onStart(SERVER_ROLES, async (use) => makeWaker(use, leases(use)).start());
  plugin.onStart(SERVER_ROLES, async (use) => makeSweeper(use).start());
});
