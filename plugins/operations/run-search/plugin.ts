import {
  Clock,
  Database,
  definePlugin,
  Errors,
  Log,
  type Role,
  SERVER_ROLES,
  Sealer,
  Settings,
  WorkLoop,
} from '../../../kernel/contracts/index.ts';
import { RunReader, RunTables } from '../../engine/runs/contract.ts';
import { EventLog } from '../../events/bus/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { RunFinders } from '../run-views/contract.ts';
import { RunIndexing } from './contract.ts';
import { termTables } from './migrations/0001-terms.ts';
import manifest from './plugin.json' with { type: 'json' };
import { RunIndex } from './service/run-index.ts';
import { RunSearches } from './service/run-searches.ts';

/** The roles whose database outlives the process. */
const ROLES: readonly Role[] = ['server', 'dev'];

/** Throws `setting_invalid`. */
function isOn({ env }: Pick<Settings, 'env'>): boolean {
  const setting = env.SVC_RUN_SEARCH || 'on';
  if (setting !== 'on' && setting !== 'off') throw Errors.settingInvalid('SVC_RUN_SEARCH must be on or off');
  return setting === 'on';
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([termTables]);
  const searches = plugin.own((use) => {
    const shared = { database: use(Database), sealer: use(Sealer), log: use(EventLog), reader: use(RunReader) };
    const index = new RunIndex({ ...shared, masks: use(RunMasks) });
    const loop = new WorkLoop({
      clock: use(Clock),
      log: use(Log).child({ plugin: 'run-search' }),
      poll: { min_ms: 1000, max_ms: 5000 },
      messages: { failing: 'indexing runs failed; retrying', recovered: 'runs are indexed again' },
      iterate: () => index.iterate(),
    });
    return new RunSearches({ ...shared, index, loop });
  });
  plugin.bind(RunIndexing, searches);
  plugin.contribute(RunFinders, (use) => (isOn(use(Settings)) ? searches(use) : []));
  plugin.contribute(RunTables, () => ({
    table: 'run_search_terms',
    column: 'run_id',
    clustered_key: 'project_id, term, run_id',
  }));
  plugin.onCheck(SERVER_ROLES, async (use) => void isOn(use(Settings)));
  plugin.onStart(ROLES, async (use) => (isOn(use(Settings)) ? searches(use).start() : () => undefined));
});
