import {
  ALL_ROLES,
  Clock,
  Database,
  definePlugin,
  Egress,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  provide,
  type Resolve,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { ActivityTransfers, AgentServer } from '../agents/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { JournaledVerbs, RerunParts, RunEngine, RunGuard, RunLimits, RunTables } from '../../engine/runs/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { httpSender } from './agent/sender.ts';
import { inProcessSender } from './agent/in-process.ts';
import { agentArtifactRoutes } from './agent-routes.ts';
import { agentCacheRoutes, cacheRoutes } from './cache-routes.ts';
import { ArtifactContents, Artifacts } from './contract.ts';
import { parseLimit } from './domain/sizes.ts';
import { artifactTables } from './migrations/0001-artifacts.ts';
import { usageTables } from './migrations/0002-usage.ts';
import { partsLast } from './migrations/0003-order.ts';
import { leavingBytes } from './migrations/0004-leaving.ts';
import { cacheTables } from './migrations/0005-caches.ts';
import manifest from './plugin.json' with { type: 'json' };
import { artifactRoutes } from './routes.ts';
import { Caches } from './service/caches.ts';
import { artifactContents } from './service/contents.ts';
import { ArtifactLibrary } from './service/library.ts';
import { openStores } from './service/open-stores.ts';
import { artifactRows, artifactUsage, copiedArtifacts, prunableArtifacts } from './service/pruning.ts';
import { Sweeper } from './service/sweeper.ts';
import { Receiver } from './service/receive.ts';
import { parseLocation } from './service/settings.ts';
import { Uploads } from './service/uploads.ts';
import { publishVerb } from './verbs/publish.ts';
import { cacheRestoreVerb, cacheSaveVerb } from './verbs/cache.ts';
import { artifactGetVerb } from './verbs/get.ts';
import { artifactPutVerb } from './verbs/put.ts';

const pruning = { database: Database, ids: Ids, guard: RunGuard };

/** Counts what a part of this plugin reports. */
const counter = (name: string, help: string) => (use: Resolve) => {
  const counted = use(Metrics).counter(name, help);
  return (count: number) => counted.inc({}, count);
};

const limitOf = (use: Resolve) => parseLimit(use(Settings).env.SVC_ARTIFACT_LIMIT);

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([artifactTables, usageTables, partsLast, leavingBytes, cacheTables]);
  const stores = plugin.own((use) =>
    openStores(parseLocation(use(Settings)), { ids: use(Ids), clock: use(Clock), egress: () => use(Egress) }),
  );
  const uploads = plugin.own(
    provide(Uploads, { database: Database, ids: Ids, guard: RunGuard, stores, limits: RunLimits }),
  );
  const receiver = provide(Receiver, {
    uploads,
    stores,
    limit_bytes: limitOf,
    onReceived: counter('svc_artifact_received_bytes_total', 'Bytes of stored artifacts.'),
  });
  const library = plugin.own(
    provide(ArtifactLibrary, {
      database: Database,
      ids: Ids,
      guard: RunGuard,
      audit: Audit,
      stores,
      uploads,
      receiver,
    }),
  );
  const caches = plugin.own(provide(Caches, { database: Database, ids: Ids, audit: Audit, uploads }));
  const sweeper = provide(Sweeper, {
    database: Database,
    stores,
    ids: Ids,
    clock: Clock,
    log: (use) => use(Log).child({ plugin: 'artifacts' }),
    onRemoved: counter('svc_artifact_parts_removed_total', 'Parts of artifacts that were removed.'),
  });
  plugin.bind(Artifacts, library);
  plugin.bind(ArtifactContents, (use) => artifactContents(() => stores(use)));
  plugin.contribute(HttpRoutes, provide(artifactRoutes, { library, uploads, runs: RunEngine, limit_bytes: limitOf }));
  plugin.contribute(
    HttpRoutes,
    provide(agentArtifactRoutes, { library, uploads, guard: RunGuard, limit_bytes: limitOf }),
  );
  plugin.contribute(HttpRoutes, (use) => cacheRoutes(caches(use)));
  plugin.contribute(HttpRoutes, (use) => agentCacheRoutes(caches(use), library(use), use(RunGuard)));
  plugin.contribute(JournaledVerbs, (use) => publishVerb(use(Database), use(Ids), use(RunLimits)));
  plugin.contribute(Verbs, () => artifactPutVerb);
  plugin.contribute(Verbs, () => artifactGetVerb);
  plugin.contribute(Verbs, () => cacheRestoreVerb);
  plugin.contribute(Verbs, () => cacheSaveVerb);
  plugin.contribute(ActivityTransfers, (use) =>
    use(Settings).role === 'agent'
      ? httpSender(() => use(AgentServer), use(Clock))
      : inProcessSender(
          () => library(use),
          () => caches(use),
          () => use(RunGuard),
        ),
  );
  plugin.contribute(Prunables, provide(prunableArtifacts, pruning));
  plugin.contribute(Prunables, (use) => caches(use).prunable);
  plugin.contribute(RunTables, provide(artifactRows, pruning));
  plugin.contribute(RunTables, () => artifactUsage);
  plugin.contribute(RerunParts, (use) => copiedArtifacts(() => library(use)));
  plugin.onStart(SERVER_ROLES, async (use) => sweeper(use).start());
  plugin.onCheck(ALL_ROLES, async (use) => {
    limitOf(use);
    parseLocation(use(Settings));
  });
});
