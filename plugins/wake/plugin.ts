import {
  Clock,
  Database,
  definePlugin,
  Ids,
  Log,
  Metrics,
  type PluginManifest,
  type Resolve,
  type Role,
  Settings,
  type Stop,
} from '../../kernel/contracts/index.ts';
import { WakeRelay } from '../runs/contract.ts';
import { readWakeUrl } from './domain/wake-url.ts';
import { wakeTables } from './migrations/0001-wake.ts';
import manifest from './plugin.json' with { type: 'json' };
import { startRelay } from './service/relay.ts';
import { deploymentOf } from './store/deployment.ts';

/** Those that may share a database with others. */
const ROLES: readonly Role[] = ['server', 'dev'];

const addressOf = (use: Resolve) => readWakeUrl(use(Settings).env.SVC_WAKE_URL);

async function start(use: Resolve): Promise<Stop> {
  const address = addressOf(use);
  if (address === undefined) return () => undefined;
  return startRelay({
    address,
    deployment: await deploymentOf(use(Database), use(Ids)),
    relay: use(WakeRelay),
    clock: use(Clock),
    log: use(Log).child({ plugin: 'wake' }),
    metrics: use(Metrics),
  });
}

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([wakeTables]);
  plugin.onInit(ROLES, async (use) => {
    // A bad setting stops the start, before anything is listened to.
    addressOf(use);
  });
  plugin.onStart(ROLES, start);
});
