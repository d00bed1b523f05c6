import { token } from '../../../../kernel/contracts/index.ts';

/** Numbers of the agents that may run an org's work. */
export interface AgentStats {
  /** `free` counts slots without an activity. */
  readStats(org_id: string): Promise<{ connected: number; slots: number; free: number }>;
}

export const AgentStats = token<AgentStats>('agents.AgentFigures');
