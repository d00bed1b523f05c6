import {
  AGENT_ROLES,
  Database,
  definePlugin,
  HealthChecks,
  HttpRoutes,
  HttpUpgrades,
  type PluginManifest,
  SERVER_ROLES,
  Settings,
} from '../../kernel/contracts/index.ts';
import { Reach, Scopes } from '../access/contract.ts';
import { makeAgent, makeChannel, makeSessions } from './bindings.ts';
import { Agent, AgentSessions } from './contract.ts';
import { agentsTable } from './migrations/0001-agents.ts';
import manifest from './plugin.json' with { type: 'json' };
import { getAgents } from './routes/get-agents.ts';
import { agentsHealth } from './sessions/health.ts';
import { AgentTable } from './store/agent-table.ts';
import { AgentChannel, AgentOfProcess, Agents, ConnectedAgents } from './tokens.ts';

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([agentsTable]);
  plugin.bind(Agents, (use) => new AgentTable(use(Database)));
  plugin.bind(ConnectedAgents, makeSessions);
  plugin.bind(AgentSessions, (use) => use(ConnectedAgents));
  plugin.bind(AgentChannel, makeChannel);
  plugin.bind(AgentOfProcess, makeAgent);
  plugin.bind(Agent, (use) => use(AgentOfProcess));
  plugin.contribute(HttpUpgrades, (use) => use(AgentChannel));
  plugin.contribute(HttpRoutes, (use) =>
    getAgents({ table: use(Agents), reach: use(Reach), scopes: use(Scopes), now: () => use(Database).now() }),
  );
  plugin.contribute(HealthChecks, (use) =>
    agentsHealth(use(ConnectedAgents), AGENT_ROLES.includes(use(Settings).role) ? use(AgentOfProcess) : undefined),
  );
  plugin.onInit(AGENT_ROLES, async (use) => {
    // Made here, so that a wrong setting ends the boot before anything has started.
    use(AgentOfProcess);
  });
  plugin.onStart(SERVER_ROLES, async (use) => {
    const [sessions, channel] = [use(ConnectedAgents), use(AgentChannel)];
    sessions.start();
    channel.start();
    return async () => {
      await channel.stop();
      await sessions.stop();
    };
  });
  plugin.onStart(AGENT_ROLES, async (use) => () => use(AgentOfProcess).stop());
  // Only now every executor's plugin has started, and every route a script may call is there.
  plugin.onReady(AGENT_ROLES, (use) => use(AgentOfProcess).start());
});
