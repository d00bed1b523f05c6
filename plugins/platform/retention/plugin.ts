import {
  ALL_ROLES,
  Clock,
  Database,
  definePlugin,
  Log,
  Metrics,
  type Resolve,
  type Role,
  Settings,
  type Stop,
} from '../../../kernel/contracts/index.ts';
import { Prunables } from './contract.ts';
import { readRetention } from './domain/read-retention.ts';
import { retentionUnknown } from './errors.ts';
import { retentionTables } from './migrations/0001-retention.ts';
import manifest from './plugin.json' with { type: 'json' };
import { Pruner } from './service/pruner.ts';

/** The roles whose database outlives the process. */
const ROLES: readonly Role[] = ['server', 'dev'];

const retentionSettings = (use: Resolve) => readRetention(use(Settings).env.SVC_RETENTION);

async function checkNames(use: Resolve): Promise<void> {
  const registered_names = use.all(Prunables).map(({ name }) => name);
  const unknown = Object.keys(retentionSettings(use)).filter((name) => !registered_names.includes(name));
  if (unknown.length > 0)
    throw retentionUnknown(
      `SVC_RETENTION contains ${unknown.join(', ')}; the known names are ${registered_names.join(', ')}`,
    );
}

async function start(use: Resolve): Promise<Stop> {
  const retention = retentionSettings(use);
  if (Object.keys(retention).length === 0) return () => undefined;
  return new Pruner({
    database: use(Database),
    clock: use(Clock),
    log: use(Log).child({ plugin: 'retention' }),
    metrics: use(Metrics),
    prunables: use.all(Prunables),
    retention,
  }).start();
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([retentionTables]);
  plugin.onCheck(ALL_ROLES, async (use) => void retentionSettings(use));
  plugin.onInit(ROLES, checkNames);
  plugin.onStart(ROLES, start);
});
