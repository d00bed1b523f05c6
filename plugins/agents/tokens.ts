import { token } from '../../kernel/contracts/index.ts';
import type { ChannelEndpoint } from './channel/endpoint.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { AgentTable } from './store/agent-table.ts';
import type { LocalAgent } from './worker/local-agent.ts';

/** Services of this plugin that it starts and stops itself; others use those of contract.ts. */
export const ConnectedAgents = token<Sessions>('agents.ConnectedAgents');
export const AgentChannel = token<ChannelEndpoint>('agents.AgentChannel');
export const Agents = token<AgentTable>('agents.Agents');
export const AgentOfProcess = token<LocalAgent>('agents.AgentOfProcess');
