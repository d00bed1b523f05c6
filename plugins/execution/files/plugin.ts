import { Database, definePlugin, HttpRoutes, Sealer, Settings } from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { ActivityTransfers, AgentServer } from '../agents/contract.ts';
import { FileHolders, RunFiles, RunGuard, SharedContents, SubmitObservers } from '../../engine/runs/contract.ts';
import { httpTransfer, inProcessTransfer } from './agent/content-transfer.ts';
import { fileTables } from './migrations/0001-files.ts';
import manifest from './plugin.json' with { type: 'json' };
import { agentFileRoutes, fileRoutes } from './routes.ts';
import { Contents } from './service/contents.ts';
import { unusedFiles } from './store/unneeded.ts';

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
        holders: () => use.all(FileHolders),
      }),
  );
  plugin.contribute(SubmitObservers, (use) => contents(use).observer);
  plugin.contribute(SharedContents, (use) => ({
    ...unusedFiles(use(Database), () => use.all(FileHolders)),
    retainFiles: (...args) => contents(use).retainFiles(...args),
  }));
  plugin.contribute(HttpRoutes, (use) => fileRoutes(contents(use)));
  plugin.contribute(HttpRoutes, (use) => agentFileRoutes(contents(use), use(RunGuard)));
  plugin.contribute(ActivityTransfers, (use) =>
    use(Settings).role === 'agent'
      ? httpTransfer(() => use(AgentServer))
      : inProcessTransfer(
          () => contents(use),
          () => use(RunGuard),
        ),
  );
});
