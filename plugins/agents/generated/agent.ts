// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AgentRecord {
  agent_id: string;
  name: string;
  /**
   * Absent for the agent built into `svc dev`.
   */
  org?: string;
  state: 'online' | 'offline';
  os: string;
  arch: string;
  capabilities: string[];
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
