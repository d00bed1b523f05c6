import { token } from '../../../../kernel/contracts/index.ts';

/** An agent that is connected now. */
export interface ConnectedAgent {
  name: string;
  capabilities: string[];
}

/** Numbers of the agents that may run an org's work. */
export interface AgentStats {
  /** `free` counts slots without an activity. */
  readStats(org_id: string): Promise<{ connected: number; slots: number; free: number }>;
  /** Returns the connected agents that may run the work of a project, among the newest 200. */
  readConnected(scope: { org_id: string; project_id: string }): Promise<ConnectedAgent[]>;
}

export const AgentStats = token<AgentStats>('agents.AgentFigures');
