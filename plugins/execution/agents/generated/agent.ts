// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AgentRecord {
  agent_id: string;
  name: string;
  /**
   * Absent for the agent built into `svc dev`.
   */
  org?: string;
  /**
   * The only project that it serves, if its token is limited to a project.
   */
  project?: string;
  state: 'online' | 'offline';
  os: string;
  arch: string;
  capabilities: string[];
  /**
   * How it handles untrusted runs: `refuse` accepts none, `isolate` isolates them, and `only` accepts only untrusted runs.
   */
  untrusted: 'refuse' | 'isolate' | 'only';
  /**
   * The reason why this machine cannot isolate programs. Absent if it can isolate them. Otherwise, the agent gets no untrusted runs.
   */
  isolation_missing?: string;
  slots: number;
  version: string;
  pid: number;
  /**
   * The host and process ID of the server that the agent is connected to, or was last connected to.
   */
  server: string;
  first_seen_at?: string;
  connected_at?: string;
  last_seen_at?: string;
}
