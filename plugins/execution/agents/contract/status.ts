import { token } from '../../../../kernel/contracts/index.ts';

/** The agent inside this process (roles agent, dev and local). */
export interface Agent {
  status(): AgentStatus;
}

export interface AgentStatus {
  /** Assigned by the server at the first hello. */
  agent_id: string | undefined;
  name: string;
  connected: boolean;
  draining: boolean;
  slots: number;
  /** Number of running passes. */
  busy: number;
  capabilities: readonly string[];
}

export const Agent = token<Agent>('agents.Agent');
