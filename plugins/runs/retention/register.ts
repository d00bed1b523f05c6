import { Database, type PluginSetup, Prunables } from '../../../kernel/contracts/index.ts';
import { OpenRuns, RunTables } from '../contract.ts';
import { createOpenRuns } from './open-runs.ts';
import { prunableLogs } from './prune-logs.ts';
import { prunableRuns } from './prune-runs.ts';

/** What becomes of runs that ended long ago. */
export function registerRetention(plugin: PluginSetup): void {
  plugin.bind(OpenRuns, (use) => createOpenRuns(use(Database)));
  plugin.contribute(Prunables, (use) => [
    prunableRuns(use(Database), () => use.all(RunTables)),
    prunableLogs(use(Database)),
  ]);
}
