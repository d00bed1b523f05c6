import { Errors, type HttpRequest, type Route } from '../../../kernel/contracts/index.ts';
import type { Reach, Scopes } from '../../access/contract.ts';
import { SEEN_WITHIN_MS } from '../sessions/sessions.ts';
import type { AgentRow, AgentTable } from '../store/agent-table.ts';

export interface GetAgentsParts {
  table: AgentTable;
  reach: Reach;
  scopes: Scopes;
  /** Epoch ms by the database's clock, which the rows are written by. */
  now(): number;
}

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const agent = {
  type: 'object',
  additionalProperties: false,
  required: ['agent_id', 'name', 'state', 'os', 'arch', 'capabilities', 'slots', 'version', 'pid', 'server'],
  properties: {
    agent_id: text,
    name: text,
    org: { ...text, description: 'Absent for the agent built into `svc dev`.' },
    state: { type: 'string', enum: ['online', 'offline'] },
    os: text,
    arch: text,
    capabilities: { type: 'array', items: text },
    slots: { type: 'integer' },
    version: text,
    pid: { type: 'integer' },
    server: { ...text, description: 'The server it is, or was last, connected to: host and process id.' },
    first_seen_at: time,
    connected_at: time,
    last_seen_at: time,
  },
};

/** `GET /api/v1/agents`: those of the caller's orgs, newest first; offline ones for a day. */
export const getAgents = (parts: GetAgentsParts): Route => ({
  method: 'GET',
  path: '/api/v1/agents',
  operation: 'listAgents',
  summary: "The agents of the caller's orgs, newest first; those that went away are kept for 24 hours.",
  access: { kind: 'user' },
  query: {
    type: 'object',
    additionalProperties: false,
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
      cursor: { type: 'string', minLength: 1, maxLength: 128 },
    },
  },
  responses: {
    200: {
      description: 'Agents.',
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['agents'],
        properties: { agents: { type: 'array', items: agent }, next_cursor: text },
      },
    },
  },
  async handle(request) {
    const limit = Number(request.query.limit ?? 50);
    const before = readCursor(request.query.cursor);
    const org_ids = await parts.reach.orgsOf(callerOf(request));
    const rows = await parts.table.list({ org_ids, limit: limit + 1, ...(before === undefined ? {} : { before }) });
    const agents = await Promise.all(rows.slice(0, limit).map((row) => view(parts, row)));
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const next = last ? { next_cursor: Buffer.from(last.agent_id).toString('base64url') } : {};
    return { status: 200, json: { agents, ...next } };
  },
});

function callerOf({ principal, method, path }: HttpRequest) {
  if (!principal) throw new Error(`${method} ${path} reached its handler without a principal`);
  return principal;
}

function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const before = Buffer.from(cursor, 'base64url').toString('latin1');
  if (!/^agt_[0-9A-Z]{26}$/.test(before))
    throw Errors.invalidRequest('the cursor is not one that this list gave', {
      errors: [{ pointer: '/cursor', message: 'take `next_cursor` of the page before, unchanged' }],
    });
  return before;
}

async function view(parts: GetAgentsParts, row: AgentRow) {
  const { org_id, capabilities, first_seen_at, connected_at, last_seen_at, ...plain } = row;
  const seen = parts.now() - last_seen_at < SEEN_WITHIN_MS;
  return {
    ...plain,
    // A server that was killed leaves its agents' rows as they were.
    state: row.state === 'online' && seen ? 'online' : 'offline',
    ...(org_id === null ? {} : { org: await parts.scopes.orgName(org_id) }),
    capabilities: JSON.parse(capabilities) as string[],
    first_seen_at: new Date(first_seen_at).toISOString(),
    connected_at: new Date(connected_at).toISOString(),
    last_seen_at: new Date(last_seen_at).toISOString(),
  };
}
