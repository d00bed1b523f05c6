// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AgentRecord {
  agent_id: string;
  name: string;
  /**
   * Absent for the agent built into `svc dev`.
   */
  org?: string;
  /**
   * The one project that it serves, when its token is limited to it.
   */
  project?: string;
  state: 'online' | 'offline';
  os: string;
  arch: string;
  capabilities: string[];
  /**
   * What becomes of untrusted runs there: `refuse` takes none, `isolate` keeps them apart, `only` takes nothing else.
   */
  untrusted: 'refuse' | 'isolate' | 'only';
  /**
   * Why this machine cannot keep programs apart. Absent when it can; without it an agent gets no untrusted run.
   */
  isolation_missing?: string;
  slots: number;
  version: string;
  pid: number;
  /**
   * The server it is, or was last, connected to: host and process id.
   */
  server: string;
  first_seen_at?: string;
  connected_at?: string;
  last_seen_at?: string;
}
