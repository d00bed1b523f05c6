import {
  callerOf,
  type Database,
  iso,
  listRoute,
  pageOf,
  readPage,
  type Route,
  USER,
} from '../../../kernel/contracts/index.ts';
import type { VisibleOrgs, Scopes } from '../../security/access/contract.ts';
import agentSchema from './schema/agent.schema.json' with { type: 'json' };
import { MAX_SILENCE_MS } from './sessions/sessions.ts';
import type { AgentRow, AgentTable } from './store/agent-table.ts';

export interface AgentRoutesDeps {
  table: AgentTable;
  visibleOrgs: VisibleOrgs;
  scopes: Scopes;
  /** The clock that wrote the times of the rows. */
  database: Pick<Database, 'now'>;
}

/** Lists the agents of the caller's orgs, offline ones for a day. */
export const listAgentsRoute = (deps: AgentRoutesDeps): Route =>
  listRoute({
    path: '/api/v1/agents',
    operation: 'listAgents',
    summary: "The agents of the caller's orgs, newest first; disconnected ones are kept for 24 hours.",
    access: USER,
    plural: 'agents',
    item: agentSchema,
    description: 'Agents.',
    async list(request) {
      const { limit, before } = readPage(request.query);
      const org_ids = await deps.visibleOrgs.orgsOf(callerOf(request));
      const rows = await deps.table.list({ org_ids, limit: limit + 1, before });
      const { items, ...rest } = pageOf(rows, limit, ({ agent_id }) => agent_id);
      return { items: await Promise.all(items.map((row) => toView(deps, row))), ...rest };
    },
  });

async function toView({ database, scopes }: AgentRoutesDeps, row: AgentRow) {
  const { org_id, project_id, capabilities, isolation_missing, first_seen_at, connected_at, last_seen_at, ...columns } =
    row;
  const seen = database.now() - last_seen_at < MAX_SILENCE_MS;
  return {
    ...columns,
    // A killed server leaves the rows of its agents unchanged.
    state: row.state === 'online' && seen ? 'online' : 'offline',
    org: org_id === null ? undefined : await scopes.orgName(org_id),
    project: org_id && project_id ? (await scopes.names(org_id, project_id)).project : undefined,
    capabilities: JSON.parse(capabilities) as string[],
    isolation_missing: isolation_missing ?? undefined,
    first_seen_at: iso(first_seen_at),
    connected_at: iso(connected_at),
    last_seen_at: iso(last_seen_at),
  };
}
