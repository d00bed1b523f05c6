import { token } from '../../../kernel/contracts/index.ts';

/** The agents that runs of an org may go to, in numbers. */
export interface AgentFigures {
  /** `free`: slots that hold no activity. */
  of(org_id: string): Promise<{ connected: number; slots: number; free: number }>;
}

export const AgentFigures = token<AgentFigures>('agents.AgentFigures');
