import { Database, definePlugin, Ids, type Resolve } from '../../kernel/contracts/index.ts';
import {
  Activities,
  ActivityObservers,
  JournaledVerbs,
  RerunParts,
  RunObservers,
  RunTables,
  WaitKinds,
  WaitResolver,
} from '../runs/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { childTables } from './migrations/0001-children.ts';
import manifest from './plugin.json' with { type: 'json' };
import { ChildActivities } from './service/child-activities.ts';
import { copyChildren } from './service/rerun-copy.ts';
import { noteUnreported } from './service/unreported.ts';
import { activityVerbs } from './verbs/activity.ts';
import { callVerb } from './verbs/call.ts';
import { submitWork } from './verbs/submit-work.ts';
import { activityWait, collectWait, waitAllWait } from './verbs/waits.ts';

const makeChildActivities = (use: Resolve) =>
  new ChildActivities({
    database: use(Database),
    ids: use(Ids),
    activities: () => use(Activities),
    resolver: () => use(WaitResolver),
  });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([childTables]);
  const children = plugin.own(makeChildActivities);
  plugin.contribute(Verbs, () => [...activityVerbs, callVerb]);
  plugin.contribute(JournaledVerbs, (use) => submitWork(children(use)));
  plugin.contribute(WaitKinds, (use) => {
    const own = children(use);
    return [activityWait(own), collectWait(own), waitAllWait(own)];
  });
  plugin.contribute(ActivityObservers, (use) => ({
    name: 'children.ended',
    onEnded: (tx, run, activity) => children(use).ended(tx, run, activity),
  }));
  plugin.contribute(RerunParts, (use) =>
    copyChildren(
      () => use(Activities),
      () => use(Database),
    ),
  );
  plugin.contribute(RunObservers, (use) => noteUnreported(() => use(Activities)));
  plugin.contribute(RunTables, () => ({ table: 'children_children', column: 'run_id' }));
});
