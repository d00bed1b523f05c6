import { migration } from '../../../../kernel/contracts/index.ts';

/** Heartbeats and ends of connections name sessions. Without an index, each reads, and on MySQL locks, all agents. */
const INDEX = 'CREATE INDEX agents_agents_session ON agents_agents (session_id)';

export const sessionIndex = migration('0004-sessions', [INDEX], { additive: true });
