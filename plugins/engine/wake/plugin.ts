import {
  Clock,
  Database,
  definePlugin,
  Ids,
  Log,
  Metrics,
  type Resolve,
  type Role,
  Settings,
  type Stop,
} from '../../../kernel/contracts/index.ts';
import { WakeRelay } from '../runs/contract.ts';
import { readWakeUrl } from './domain/wake-url.ts';
import { wakeTables } from './migrations/0001-wake.ts';
import manifest from './plugin.json' with { type: 'json' };
import { startRelay } from './service/relay.ts';
import { ensureDeployment } from './store/deployment.ts';

/** Roles that may share a database with other servers. */
const ROLES: readonly Role[] = ['server', 'dev'];

const addressOf = (use: Resolve) => readWakeUrl(use(Settings).env.SVC_WAKE_URL);

async function start(use: Resolve): Promise<Stop> {
  const address = addressOf(use);
  if (address === undefined) return () => undefined;
  return startRelay({
    address,
    deployment: await ensureDeployment(use(Database), use(Ids)),
    catchUp: () => use(Database).catchUp(),
    relay: use(WakeRelay),
    clock: use(Clock),
    log: use(Log).child({ plugin: 'wake' }),
    metrics: use(Metrics),
  });
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([wakeTables]);
  plugin.onCheck(ROLES, async (use) => void addressOf(use));
  plugin.onStart(ROLES, start);
});
