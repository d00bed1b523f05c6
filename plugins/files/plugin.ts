import { Database, definePlugin, HttpRoutes, Sealer, Settings } from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { AgentServer, ContentCarriers } from '../agents/contract.ts';
import { FileHolders, FileKeepers, RunFiles, RunGuard, RunLeftovers, SubmitObservers } from '../runs/contract.ts';
import { httpCarrier, inProcessCarrier } from './agent/carrier.ts';
import { fileTables } from './migrations/0001-files.ts';
import manifest from './plugin.json' with { type: 'json' };
import { agentFileRoutes, fileRoutes } from './routes.ts';
import { Contents } from './service/contents.ts';
import { unneededFiles } from './store/unneeded.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([fileTables]);
  const contents = plugin.own(
    (use) =>
      new Contents({
        database: use(Database),
        sealer: use(Sealer),
        guard: use(RunGuard),
        runs: use(RunFiles),
        audit: use(Audit),
      }),
  );
  plugin.contribute(FileKeepers, (use) => contents(use).keeper);
  plugin.contribute(SubmitObservers, (use) => contents(use).observer);
  plugin.contribute(RunLeftovers, (use) => unneededFiles(use(Database), () => use.all(FileHolders)));
  plugin.contribute(HttpRoutes, (use) => fileRoutes(contents(use)));
  plugin.contribute(HttpRoutes, (use) => agentFileRoutes(contents(use), use(RunGuard)));
  plugin.contribute(ContentCarriers, (use) =>
    use(Settings).role === 'agent'
      ? httpCarrier(() => use(AgentServer))
      : inProcessCarrier(
          () => contents(use),
          () => use(RunGuard),
        ),
  );
});
