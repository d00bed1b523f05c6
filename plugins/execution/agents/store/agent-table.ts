import type { Database, Param } from '../../../../kernel/contracts/index.ts';
import type { AgentHello, AgentIdentity } from '../contract.ts';

export interface AgentRow {
  agent_id: string;
  org_id: string | null;
  project_id: string | null;
  name: string;
  os: string;
  arch: string;
  /** A JSON array. */
  capabilities: string;
  untrusted: 'refuse' | 'isolate' | 'only';
  isolation_missing: string | null;
  slots: number;
  version: string;
  pid: number;
  server: string;
  state: 'online' | 'offline';
  first_seen_at: number;
  connected_at: number;
  last_seen_at: number;
}

export interface Introduction {
  /** Used if this instance is new. */
  agent_id: string;
  identity: AgentIdentity;
  hello: AgentHello;
  session_id: string;
  server: string;
}

export interface AgentPage {
  /** Agents without an org, which are the built-in agents of this process, are always included. */
  org_ids: readonly string[];
  before?: string;
  limit: number;
}

const COLUMNS =
  'agent_id, org_id, project_id, name, os, arch, capabilities, untrusted, isolation_missing, slots, version, pid, server, state, first_seen_at, connected_at, last_seen_at';
/** Rows deleted in one statement, so that no lock is held for long. */
const PRUNE_BATCH = 500;
const placeholders = (list: readonly unknown[]) => list.map(() => '?').join(', ');

/** The table agents_agents. Each method is one small statement or transaction. */
export class AgentTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Registers the agent and returns its id. The same instance with the same token keeps its id at every server. */
  async introduce(introduction: Introduction): Promise<string> {
    const { identity, hello, session_id, server } = introduction;
    // What the agent claimed and recorded at another server must be visible here.
    await this.#database.catchUp();
    return this.#database.transaction(async (tx) => {
      const now = this.#database.now();
      const hello_params: Param[] = [
        hello.name,
        hello.os,
        hello.arch,
        JSON.stringify(hello.capabilities),
        hello.slots,
        hello.version,
        hello.pid,
        server,
        session_id,
        hello.isolation.untrusted,
        hello.isolation.missing ?? null,
      ];
      await tx.write(
        `${tx.sql.insert_ignore} agents_agents (agent_id, org_id, project_id, token_id, instance, name, os, arch, capabilities,
         slots, version, pid, server, session_id, untrusted, isolation_missing, state, first_seen_at, connected_at,
         last_seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'online', ?, ?, ?)`,
        [
          introduction.agent_id,
          identity.org_id ?? null,
          identity.project_id ?? null,
          identity.token_id,
          hello.instance,
          ...hello_params,
          now,
          now,
          now,
        ],
      );
      const rows = await tx.lock<{ agent_id: string }>({
        table: 'agents_agents',
        key: ['agent_id'],
        columns: 'agent_id',
        where: 'token_id = ? AND instance = ?',
        params: [identity.token_id, hello.instance],
      });
      const agent_id = rows[0]!.agent_id;
      if (agent_id !== introduction.agent_id)
        await tx.write(
          `UPDATE agents_agents SET name = ?, os = ?, arch = ?, capabilities = ?, slots = ?, version = ?, pid = ?,
           server = ?, session_id = ?, untrusted = ?, isolation_missing = ?, state = 'online', connected_at = ?, last_seen_at = ? WHERE agent_id = ?`,
          [...hello_params, now, now, agent_id],
        );
      return agent_id;
    });
  }

  /** Marks sessions as alive. Returns the sessions that another connection of their agent replaced. */
  async touch(session_ids: readonly string[]): Promise<string[]> {
    if (session_ids.length === 0) return [];
    const now = this.#database.now();
    await this.#database.write(
      `UPDATE agents_agents SET last_seen_at = ?, state = 'online' WHERE session_id IN (${placeholders(session_ids)})`,
      [now, ...session_ids],
    );
    const rows = await this.#database.read<{ session_id: string }>(
      `SELECT session_id FROM agents_agents WHERE session_id IN (${placeholders(session_ids)})`,
      session_ids,
    );
    const present = new Set(rows.map((row) => row.session_id));
    return session_ids.filter((id) => !present.has(id));
  }

  /** Marks the session as ended, unless another session of the agent took over. */
  async markOffline(session_id: string): Promise<void> {
    await this.#database.write(
      "UPDATE agents_agents SET state = 'offline', last_seen_at = ? WHERE session_id = ? AND state = 'online'",
      [this.#database.now(), session_id],
    );
  }

  /** Newest first. */
  list(page: AgentPage): Promise<AgentRow[]> {
    const orgs =
      page.org_ids.length > 0 ? `(org_id IS NULL OR org_id IN (${placeholders(page.org_ids)}))` : 'org_id IS NULL';
    const before = page.before === undefined ? '' : 'AND agent_id < ?';
    const params: Param[] = [...page.org_ids, ...(page.before === undefined ? [] : [page.before])];
    return this.#database.read<AgentRow>(
      `SELECT ${COLUMNS} FROM agents_agents WHERE ${orgs} ${before} ORDER BY agent_id DESC LIMIT ${page.limit}`,
      params,
    );
  }

  /** Returns what is needed to count agents and their slots, newest first. */
  slots(org_id: string, limit: number): Promise<Pick<AgentRow, 'agent_id' | 'slots' | 'state' | 'last_seen_at'>[]> {
    return this.#database.read(
      `SELECT agent_id, slots, state, last_seen_at FROM agents_agents WHERE org_id IS NULL OR org_id = ?
       ORDER BY agent_id DESC LIMIT ${Math.trunc(limit)}`,
      [org_id],
    );
  }

  /** Deletes agents not seen for `age_ms`, and returns how many. */
  async prune(age_ms: number): Promise<number> {
    const oldest = this.#database.now() - age_ms;
    const rows = await this.#database.read<{ agent_id: string }>(
      `SELECT agent_id FROM agents_agents WHERE last_seen_at < ? ORDER BY last_seen_at LIMIT ${PRUNE_BATCH}`,
      [oldest],
    );
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.agent_id);
    return this.#database.write(
      `DELETE FROM agents_agents WHERE last_seen_at < ? AND agent_id IN (${placeholders(ids)})`,
      [oldest, ...ids],
    );
  }
}
