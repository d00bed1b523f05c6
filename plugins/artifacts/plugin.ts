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
  type Resolve,
  SERVER_ROLES,
  Settings,
} from '../../kernel/contracts/index.ts';
import { Prunables } from '../retention/contract.ts';
import { AgentServer, FileSenders } from '../agents/contract.ts';
import { Audit } from '../audit/contract.ts';
import { JournaledVerbs, RerunParts, RunEngine, RunGuard, RunLimits, RunTables } from '../runs/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { httpSender } from './agent/sender.ts';
import { inProcessSender } from './agent/in-process.ts';
import { agentArtifactRoutes } from './agent-routes.ts';
import { ArtifactContents, Artifacts } from './contract.ts';
import { readLimit } from './domain/sizes.ts';
import { artifactTables } from './migrations/0001-artifacts.ts';
import { usageTables } from './migrations/0002-usage.ts';
import { partsLast } from './migrations/0003-order.ts';
import { leavingBytes } from './migrations/0004-leaving.ts';
import manifest from './plugin.json' with { type: 'json' };
import { artifactRoutes } from './routes.ts';
import { artifactContents } from './service/contents.ts';
import { Library } from './service/library.ts';
import { openStores } from './service/open-stores.ts';
import type { PartStores } from './service/part-stores.ts';
import { artifactRows, artifactUsage, copiedArtifacts, prunableArtifacts } from './service/pruning.ts';
import { Sweeper } from './service/sweeper.ts';
import { Receiver } from './service/receive.ts';
import { readPlace } from './service/settings.ts';
import { Uploads } from './service/uploads.ts';
import { publishVerb } from './verbs/publish.ts';
import { artifactPutVerb } from './verbs/put.ts';

const pruning = (use: Resolve) => ({ database: use(Database), ids: use(Ids), guard: use(RunGuard) });

function makeSweeper(use: Resolve, stores: PartStores): Sweeper {
  const removed = use(Metrics).counter('svc_artifact_parts_removed_total', 'Parts of artifacts that were removed.');
  return new Sweeper({
    database: use(Database),
    ids: use(Ids),
    stores,
    clock: use(Clock),
    log: use(Log).child({ plugin: 'artifacts' }),
    removed: (parts) => removed.inc({}, parts),
  });
}

const limitOf = (use: Resolve) => readLimit(use(Settings).env.SVC_ARTIFACT_LIMIT);

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([artifactTables, usageTables, partsLast, leavingBytes]);
  const stores = plugin.own((use) =>
    openStores(readPlace(use(Settings)), { ids: use(Ids), clock: use(Clock), egress: () => use(Egress) }),
  );
  const uploads = plugin.own(
    (use) =>
      new Uploads({
        database: use(Database),
        ids: use(Ids),
        guard: use(RunGuard),
        stores: stores(use),
        limits: use(RunLimits),
      }),
  );
  const library = plugin.own((use) => {
    const stored = use(Metrics).counter('svc_artifact_received_bytes_total', 'Bytes of artifacts that were stored.');
    const receiver = new Receiver({
      uploads: uploads(use),
      stores: stores(use),
      limit_bytes: limitOf(use),
      received: (bytes) => stored.inc({}, bytes),
    });
    return new Library({
      database: use(Database),
      ids: use(Ids),
      guard: use(RunGuard),
      audit: use(Audit),
      stores: stores(use),
      uploads: uploads(use),
      receiver,
    });
  });
  plugin.bind(Artifacts, library);
  plugin.bind(ArtifactContents, (use) => artifactContents(() => stores(use)));
  plugin.contribute(HttpRoutes, (use) =>
    artifactRoutes({ library: library(use), uploads: uploads(use), runs: use(RunEngine), limit_bytes: limitOf(use) }),
  );
  plugin.contribute(HttpRoutes, (use) =>
    agentArtifactRoutes({
      library: library(use),
      uploads: uploads(use),
      guard: use(RunGuard),
      limit_bytes: limitOf(use),
    }),
  );
  plugin.contribute(JournaledVerbs, (use) => publishVerb(use(Database), use(Ids), use(RunLimits)));
  plugin.contribute(Verbs, () => artifactPutVerb);
  plugin.contribute(FileSenders, (use) =>
    use(Settings).role === 'agent'
      ? httpSender(() => use(AgentServer), use(Clock))
      : inProcessSender(
          () => library(use),
          () => use(RunGuard),
        ),
  );
  plugin.contribute(Prunables, (use) => prunableArtifacts(pruning(use)));
  plugin.contribute(RunTables, (use) => [artifactRows(pruning(use)), artifactUsage]);
  plugin.contribute(RerunParts, (use) => copiedArtifacts(() => library(use)));
  plugin.onStart(SERVER_ROLES, async (use) => makeSweeper(use, stores(use)).start());
  plugin.onCheck(ALL_ROLES, async (use) => {
    limitOf(use);
    readPlace(use(Settings));
  });
});
