import {
  Clock,
  Database,
  GroupCommits,
  Ids,
  Metrics,
  type PluginSetup,
  type Resolve,
  Sealer,
  Settings,
  token,
  withFailpoints,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../audit/contract.ts';
import { RunMasks } from '../../masking/contract.ts';
import {
  Activities,
  ActivityObservers,
  EnvelopeSources,
  JournaledVerbs,
  RunObservers,
  RunStore,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../contract.ts';
import { sleepKind } from '../domain/sleep-kind.ts';
import { runsMigrations } from '../migrations/index.ts';
import { measuredStore } from '../service/store-metrics.ts';
import { createActivities } from './activities.ts';
import { signalQueue, waitSignalKind } from './signals.ts';
import { SqlRunStore } from './sql-run-store.ts';

/** The one store behind its contracts. */
export const OwnStore = token<SqlRunStore>('runs.SqlRunStore');

/** The tables and the transitions of the engine. */
export function registerStore(plugin: PluginSetup): void {
  plugin.migrations(runsMigrations);
  plugin.bind(OwnStore, makeStore);
  plugin.bind(RunStore, (use) => measuredStore(withFailpoints('runs.store', use(OwnStore)), use(Metrics), use(Clock)));
  plugin.bind(WaitResolver, (use) => use(OwnStore));
  plugin.bind(Activities, makeActivities);
  plugin.bind(SignalQueue, (use) => signalQueue(use(Sealer), use(Database)));
  plugin.contribute(WaitKinds, (use) => {
    const database = use(Database);
    return [sleepKind, waitSignalKind(use(Sealer), () => database.now())];
  });
}

const makeActivities = (use: Resolve) =>
  createActivities({ database: use(Database), sealer: use(Sealer), wakeups: use(Wakeups), ids: use(Ids) });

function makeStore(use: Resolve): SqlRunStore {
  return new SqlRunStore({
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    ids: use(Ids),
    wakeups: use(Wakeups),
    wait_kinds: use.all(WaitKinds),
    verbs: use.all(JournaledVerbs),
    observers: use.all(RunObservers),
    submit_observers: use.all(SubmitObservers),
    activity_observers: use.all(ActivityObservers),
    envelope_sources: use.all(EnvelopeSources),
    audit: use(Audit),
    masks: use(RunMasks),
    public_url: use(Settings).public_url,
  });
}
