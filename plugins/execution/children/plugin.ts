import {
  childLog,
  Clock,
  Database,
  deferred,
  definePlugin,
  Ids,
  provide,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import {
  Activities,
  ActivityObservers,
  JournaledVerbs,
  RerunParts,
  RunCancellation,
  RunCreation,
  RunEngine,
  RunLimits,
  RunObservers,
  RunTables,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../../engine/runs/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { childTables } from './migrations/0001-children.ts';
import manifest from './plugin.json' with { type: 'json' };
import { CallNotifier, markCalls } from './service/call-notifier.ts';
import { callWait } from './service/call-wait.ts';
import { ChildActivities } from './service/child-activities.ts';
import { copyChildren } from './service/rerun-copy.ts';
import { spawnVerb } from './service/spawn-verb.ts';
import { createUnreportedObserver } from './service/unreported.ts';
import { activityVerbs } from './verbs/activity.ts';
import { callVerb } from './verbs/call.ts';
import { createSubmitVerb } from './verbs/submit-work.ts';
import { createActivityWait, createCollectWait, createWaitAll } from './verbs/waits.ts';

const makeChildActivities = provide(ChildActivities, {
  database: Database,
  ids: Ids,
  activities: deferred(Activities),
  resolver: deferred(WaitResolver),
});

const makeCallNotifier = provide(CallNotifier, {
  database: Database,
  sealer: Sealer,
  cancellation: RunCancellation,
  resolver: WaitResolver,
  engine: RunEngine,
  wakeups: Wakeups,
  clock: Clock,
  log: childLog('calls'),
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([childTables]);
  const children = plugin.own(makeChildActivities);
  const notifier = plugin.own(makeCallNotifier);
  plugin.contribute(Verbs, () => [...activityVerbs, callVerb]);
  plugin.contribute(JournaledVerbs, (use) => [
    createSubmitVerb(children(use)),
    spawnVerb(use(Database), () => use(RunCreation)),
  ]);
  plugin.contribute(WaitKinds, (use) => {
    const activities = children(use);
    const call = callWait({
      database: use(Database),
      creation: () => use(RunCreation),
      engine: () => use(RunEngine),
      limits: () => use(RunLimits),
      onAbandoned: () => notifier(use).wake(),
    });
    return [createActivityWait(activities), createCollectWait(activities), createWaitAll(activities), call];
  });
  plugin.contribute(ActivityObservers, (use) => ({
    name: 'children.ended',
    onEnded: (tx, run, activity) => children(use).onChildEnd(tx, run, activity),
  }));
  plugin.contribute(RerunParts, (use) =>
    copyChildren(
      () => use(Activities),
      () => use(Database),
    ),
  );
  plugin.contribute(RunObservers, (use) => [
    markCalls(() => notifier(use).wake()),
    createUnreportedObserver(() => use(Activities)),
  ]);
  plugin.contribute(RunTables, () => ({ table: 'children_children', column: 'run_id' }));
  plugin.onStart(SERVER_ROLES, async (use) => notifier(use).start());
});
