import {
  AGENT_ROLES,
  Database,
  definePlugin,
  HealthChecks,
  HttpRoutes,
  provide,
  type Resolve,
  SERVER_ROLES,
  Settings,
  webSocketRoute,
} from '../../../kernel/contracts/index.ts';
import { VisibleOrgs, Scopes } from '../../security/access/contract.ts';
import { makeAgent, makeChannel, makeServerWorker, makeSessions } from './bindings.ts';
import { LightExecutors, RunFigures } from '../../engine/runs/contract.ts';
import { Agent, AgentStats, AgentServer, AgentSessions, Executors } from './contract.ts';
import { agentsTable } from './migrations/0001-agents.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { isolation } from './migrations/0003-isolation.ts';
import { sessionIndex } from './migrations/0004-sessions.ts';
import manifest from './plugin.json' with { type: 'json' };
import { listAgentsRoute } from './routes.ts';
import { createAgentStats } from './sessions/stats.ts';
import { agentsHealth } from './sessions/health.ts';
import { parseUntrustedSlots } from './sessions/untrusted-share.ts';
import { AgentTable } from './store/agent-table.ts';
import { createAgentServer } from './worker/agent-server.ts';
import { readServerAddress } from './worker/settings.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([agentsTable, lockVersions, isolation, sessionIndex]);
  const agents = plugin.own((use) => new AgentTable(use(Database)));
  const connected = plugin.own((use) => makeSessions(use, agents(use)));
  const channel = plugin.own(makeChannel);
  const server_worker = plugin.own(makeServerWorker);
  const inServer = (use: Resolve) => SERVER_ROLES.includes(use(Settings).role) && server_worker(use).isEnabled;
  const agent = plugin.own((use) => makeAgent(use, inServer));
  plugin.bind(AgentSessions, connected);
  plugin.bind(Agent, agent);
  plugin.bind(AgentServer, (use) => createAgentServer(() => readServerAddress(use(Settings))));
  plugin.bind(AgentStats, provide(createAgentStats, { table: agents, runs: RunFigures, database: Database }));
  plugin.contribute(LightExecutors, (use) => use.all(Executors).filter(({ inProcess }) => inProcess));
  plugin.contribute(HttpRoutes, (use) => webSocketRoute(channel(use)));
  plugin.contribute(
    HttpRoutes,
    provide(listAgentsRoute, { table: agents, visibleOrgs: VisibleOrgs, scopes: Scopes, database: Database }),
  );
  plugin.contribute(HealthChecks, (use) =>
    agentsHealth(connected(use), AGENT_ROLES.includes(use(Settings).role) ? agent(use) : undefined),
  );
  plugin.onCheck(SERVER_ROLES, async (use) => {
    parseUntrustedSlots(use(Settings).env.SVC_UNTRUSTED_SLOTS);
  });
  plugin.onInit(AGENT_ROLES, async (use) => {
    // Created here so that an invalid setting fails the boot before anything starts.
    agent(use);
  });
  plugin.onStart(SERVER_ROLES, async (use) => {
    await connected(use).start();
    channel(use).start();
    return async () => {
      await channel(use).stop();
      await connected(use).stop();
    };
  });
  plugin.onInit(SERVER_ROLES, async (use) => {
    server_worker(use);
  });
  plugin.onStart(SERVER_ROLES, async (use) => {
    server_worker(use).allow();
    return () => server_worker(use).stop();
  });
  plugin.onReady(SERVER_ROLES, (use) => server_worker(use).start());
  plugin.onStart(AGENT_ROLES, async (use) => () => agent(use).stop());
  // Started last: by now every executor's plugin has started, and every route that a script may call exists.
  plugin.onReady(AGENT_ROLES, (use) => agent(use).start());
});
