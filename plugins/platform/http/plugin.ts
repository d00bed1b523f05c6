import {
  ALL_ROLES,
  Clock,
  Database,
  definePlugin,
  HealthChecks,
  HttpAddress,
  HttpRoutes,
  LoadedPlugins,
  Log,
  Metrics,
  type Resolve,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { DeliveryRates, Operations, Readiness } from './contract.ts';
import { createDeliveryRates, FailedAttempts } from './caller-rates.ts';
import { createReadiness } from './health.ts';
import { LIMITS } from './limits.ts';
import { createMetrics } from './metrics.ts';
import { readTrustedProxy } from './client-address.ts';
import { readMaxConnections } from './max-connections.ts';
import { readMaxStreams } from './max-streams.ts';
import manifest from './plugin.json' with { type: 'json' };
import { readRateLimits } from './rate-limits.ts';
import type { HttpServer } from './server.ts';

/** What callers have to finish what they began when the server stops. */
const DRAIN_MS = 5_000;

/** Agents, which do not listen, need none of it. */
const serverCode = () => import('./server.ts');

const ratesOf = (use: Resolve) => readRateLimits(use(Settings).env.SVC_RATE_LIMIT);

/** Those that plugins of svc itself contributed. To compile all their schemas takes a tenth of a start. */
function builtinRoutes(use: Resolve): Set<unknown> {
  use.all(HttpRoutes);
  const { list, contributed } = use(LoadedPlugins);
  const builtin = new Set(list.filter((plugin) => plugin.builtin).map(({ manifest }) => manifest.id));
  const ours = contributed().filter(({ plugin, point }) => point === HttpRoutes.name && builtin.has(plugin));
  return new Set(ours.map(({ made }) => made));
}

export default definePlugin(manifest, (plugin) => {
  let http: HttpServer | undefined;
  /** Tokens, cookies and deliveries share one limit. */
  const failed = plugin.own((use) => new FailedAttempts(ratesOf(use).failed, use(Clock), use(Metrics)));
  const listening = (): HttpServer => {
    if (!http) throw new Error('this process is not listening yet');
    return http;
  };
  const base_url = () => listening().base_url();
  plugin.bind(Metrics, () => createMetrics());
  plugin.bind(HttpAddress, (use) => ({ base_url, public_url: () => use(Settings).public_url }));
  plugin.bind(Operations, () => ({
    call: (call, by) => listening().operations.call(call, by),
    allows: (call, by) => listening().operations.allows(call, by),
  }));
  plugin.bind(DeliveryRates, (use) =>
    createDeliveryRates(ratesOf(use).delivery, use(Clock), use(Metrics), failed(use)),
  );
  plugin.bind(Readiness, (use) => {
    const { health_ms } = LIMITS;
    return createReadiness({ clock: use(Clock), log: use(Log), checks: use.all(HealthChecks), health_ms });
  });
  plugin.onCheck(ALL_ROLES, async (use) => {
    ratesOf(use);
    readMaxConnections(use(Settings).env.SVC_MAX_CONNECTIONS);
    readMaxStreams(use(Settings).env.SVC_MAX_STREAMS);
    readTrustedProxy(use(Settings).env.SVC_TRUSTED_PROXY);
  });
  plugin.onListen(SERVER_ROLES, async (use) => {
    const { HttpServer } = await serverCode();
    const catchUp = () => use(Database).catchUp();
    const bounds = { rates: ratesOf(use), failed: failed(use), builtin: builtinRoutes(use), catchUp };
    const server = new HttpServer(use, bounds);
    await server.listen();
    http = server;
    return () => server.close(DRAIN_MS);
  });
});
