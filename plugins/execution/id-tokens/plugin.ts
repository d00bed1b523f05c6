import {
  AdminCommands,
  Database,
  definePlugin,
  HttpRoutes,
  Ids,
  Metrics,
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { Scopes } from '../../security/access/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import { RunEngine, RunGuard, RunOrigins, RunTables } from '../../engine/runs/contract.ts';
import { ActivityTransfers, AgentServer } from '../agents/contract.ts';
import { RepositorySources, Verbs } from '../scripts/contract.ts';
import { httpTokens, inProcessTokens } from './agent/token-source.ts';
import { rotateKeyCommand } from './commands/rotate-key.ts';
import { readIssuer } from './domain/settings.ts';
import { idTokenTables } from './migrations/0001-id-tokens.ts';
import manifest from './plugin.json' with { type: 'json' };
import { agentTokenRoutes, issuerRoutes } from './routes.ts';
import { Issuer } from './service/issuer.ts';
import { SigningKeys } from './service/signing-keys.ts';
import { idTokenVerb } from './verbs/id-token.ts';

const makeKeys = provide(SigningKeys, { database: Database, sealer: Sealer });

const countIssued = (use: Resolve) => {
  const issued = use(Metrics).counter('svc_id_tokens_issued_total', 'ID tokens that runs were issued.');
  return () => issued.inc();
};

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([idTokenTables]);
  const keys = plugin.own(makeKeys);
  const issuer = plugin.own(
    provide(Issuer, {
      issuer: (use) => readIssuer(use(Settings)),
      keys,
      database: Database,
      ids: Ids,
      guard: RunGuard,
      runs: RunEngine,
      origins: RunOrigins,
      repositories: (use) => () => use.all(RepositorySources),
      scopes: Scopes,
      masks: RunMasks,
      audit: Audit,
      onIssued: countIssued,
    }),
  );
  plugin.contribute(HttpRoutes, (use) => issuerRoutes(issuer(use)));
  plugin.contribute(HttpRoutes, (use) => agentTokenRoutes(issuer(use)));
  plugin.contribute(AdminCommands, (use) => rotateKeyCommand(() => keys(use)));
  plugin.contribute(Verbs, () => idTokenVerb);
  plugin.contribute(RunTables, () => ({ table: 'id_tokens_issued', column: 'run_id' }));
  plugin.contribute(ActivityTransfers, (use) =>
    use(Settings).role === 'agent' ? httpTokens(() => use(AgentServer)) : inProcessTokens(() => issuer(use)),
  );
  plugin.onCheck(SERVER_ROLES, async (use) => void readIssuer(use(Settings)));
});
