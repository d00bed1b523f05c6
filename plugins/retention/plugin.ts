import {
  Clock,
  Database,
  definePlugin,
  Log,
  Metrics,
  type PluginManifest,
  Prunables,
  type Resolve,
  type Role,
  Settings,
  type Stop,
} from '../../kernel/contracts/index.ts';
import { retentionUnknown } from './errors.ts';
import { retentionTables } from './migrations/0001-retention.ts';
import manifest from './plugin.json' with { type: 'json' };
import { Pruner } from './service/pruner.ts';

/** Those whose database outlives them. */
const ROLES: readonly Role[] = ['server', 'dev'];

async function checkNames(use: Resolve): Promise<void> {
  const known = use.all(Prunables).map(({ name }) => name);
  const unknown = Object.keys(use(Settings).retention ?? {}).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw retentionUnknown(`SVC_RETENTION names ${unknown.join(', ')}; what can be pruned is ${known.join(', ')}`);
}

async function start(use: Resolve): Promise<Stop> {
  const { retention = {} } = use(Settings);
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

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([retentionTables]);
  plugin.onInit(ROLES, checkNames);
  plugin.onStart(ROLES, start);
});
