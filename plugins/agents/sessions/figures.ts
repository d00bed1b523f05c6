import type { Database } from '../../../kernel/contracts/index.ts';
import type { RunFigures } from '../../runs/contract.ts';
import type { AgentFigures } from '../contract.ts';
import type { AgentTable } from '../store/agent-table.ts';
import { SEEN_WITHIN_MS } from './sessions.ts';

/** An org with more agents is not counted further. */
const MAX_AGENTS = 1000;

export interface AgentFiguresParts {
  table: Pick<AgentTable, 'slots'>;
  runs: Pick<RunFigures, 'held'>;
  /** Its clock wrote the times of the rows. */
  database: Pick<Database, 'now'>;
}

export const createAgentFigures = ({ table, runs, database }: AgentFiguresParts): AgentFigures => ({
  async of(org_id) {
    const rows = await table.slots(org_id, MAX_AGENTS);
    const now = database.now();
    const there = rows.filter(({ state, last_seen_at }) => state === 'online' && now - last_seen_at < SEEN_WITHIN_MS);
    const held = there.length === 0 ? undefined : await runs.held(there.map(({ agent_id }) => agent_id));
    const free = there.map(({ agent_id, slots }) => Math.max(0, slots - (held?.get(agent_id) ?? 0)));
    return {
      connected: there.length,
      slots: there.reduce((sum, { slots }) => sum + slots, 0),
      free: free.reduce((sum, slots) => sum + slots, 0),
    };
  },
});
