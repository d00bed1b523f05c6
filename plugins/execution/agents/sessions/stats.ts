import type { Database } from '../../../../kernel/contracts/index.ts';
import type { RunFigures } from '../../../engine/runs/contract.ts';
import type { AgentStats } from '../contract.ts';
import type { AgentTable } from '../store/agent-table.ts';
import { MAX_SILENCE_MS } from './sessions.ts';

/** Agents of an org beyond this number are not counted. */
const MAX_AGENTS = 1000;
/** Each has up to 128 capabilities of 64 characters. */
const MAX_CONNECTED = 200;

export interface AgentFiguresDeps {
  table: Pick<AgentTable, 'slots' | 'list'>;
  runs: Pick<RunFigures, 'held'>;
  /** The clock that wrote the times of the rows. */
  database: Pick<Database, 'now'>;
}

export const createAgentStats = ({ table, runs, database }: AgentFiguresDeps): AgentStats => ({
  async readStats(org_id) {
    const rows = await table.slots(org_id, MAX_AGENTS);
    const now = database.now();
    const online = rows.filter(({ state, last_seen_at }) => state === 'online' && now - last_seen_at < MAX_SILENCE_MS);
    const used = online.length === 0 ? undefined : await runs.held(online.map(({ agent_id }) => agent_id));
    const free_slots = online.map(({ agent_id, slots }) => Math.max(0, slots - (used?.get(agent_id) ?? 0)));
    return {
      connected: online.length,
      slots: online.reduce((sum, { slots }) => sum + slots, 0),
      free: free_slots.reduce((sum, slots) => sum + slots, 0),
    };
  },
  async readConnected({ org_id, project_id }) {
    const rows = await table.list({ org_ids: [org_id], limit: MAX_CONNECTED });
    const now = database.now();
    return rows
      .filter((row) => row.state === 'online' && now - row.last_seen_at < MAX_SILENCE_MS)
      .filter((row) => row.project_id === null || row.project_id === project_id)
      .map(({ name, capabilities }) => ({ name, capabilities: JSON.parse(capabilities) as string[] }));
  },
});
