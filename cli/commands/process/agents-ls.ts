import type { AgentView } from '../../client/types.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const answer = await api.json<{ agents: AgentView[] }>({ path: '/api/v1/agents' });
  output.data(answer, () => {
    const rows = answer.agents.map((one) => [
      one.agent_id,
      one.name,
      one.state,
      `${one.os}/${one.arch}`,
      String(one.slots),
      one.capabilities.join(' '),
      one.last_seen_at,
    ]);
    return rows.length > 0
      ? output.table(['agent', 'name', 'state', 'machine', 'slots', 'capabilities', 'last seen'], rows)
      : '';
  });
  return undefined;
};
