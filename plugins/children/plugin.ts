import { Database, definePlugin, Ids, type PluginManifest, type Resolve } from '../../kernel/contracts/index.ts';
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
import { childTables } from './migrations/0001-children.ts';
import manifest from './plugin.json' with { type: 'json' };
import { Family, OwnFamily } from './service/family.ts';
import { copyChildren } from './service/rerun-copy.ts';
import { noteUnreported } from './service/unreported.ts';
import { submitVerb } from './verbs/submit-verb.ts';
import { activityWait, collectWait, waitAllWait } from './verbs/waits.ts';

const makeFamily = (use: Resolve) =>
  new Family({
    database: use(Database),
    ids: use(Ids),
    activities: () => use(Activities),
    resolver: () => use(WaitResolver),
  });

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([childTables]);
  plugin.bind(OwnFamily, makeFamily);
  plugin.contribute(JournaledVerbs, (use) => submitVerb(use(OwnFamily)));
  plugin.contribute(WaitKinds, (use) => {
    const family = use(OwnFamily);
    return [activityWait(family), collectWait(family), waitAllWait(family)];
  });
  plugin.contribute(ActivityObservers, (use) => ({
    name: 'children.ended',
    onEnded: (tx, run, activity) => use(OwnFamily).ended(tx, run, activity),
  }));
  plugin.contribute(RerunParts, (use) =>
    copyChildren(
      () => use(Activities),
      () => use(Database).now(),
    ),
  );
  plugin.contribute(RunObservers, (use) => noteUnreported(() => use(Activities)));
  plugin.contribute(RunTables, () => ({ table: 'children_children', column: 'run_id' }));
});
