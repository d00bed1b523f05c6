/** Answers of the HTTP API as the CLI reads them (contract.md section 3). */

export interface RunView {
  run_id: string;
  kind: string;
  workflow: string;
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  substate?: { kind: string; name: string; since: string; deadline?: string } | null;
  subject?: string | null;
  tags: string[];
  created_at: string;
  started_at?: string | null;
  finished_at?: string | null;
  output?: unknown;
  error?: { code: string; message: string } | null;
  reason?: string | null;
  annotations: string[];
  parent?: string;
  rerun_of?: string;
  requires?: string[];
  cancelled_by?: { event: string; type: string };
}

export interface StepView {
  position: number;
  kind: string;
  site: string;
  label?: string;
  status: 'recorded' | 'waiting';
  exit_code?: number;
  stdout?: string;
  stdout_base64?: string;
  message?: string;
  started_at: string;
  recorded_at?: string;
  deadline?: string;
  activity: string;
  child?: ChildView;
}

/** The activity that a call asked for. */
export interface ChildView {
  activity_id: string;
  state: 'queued' | 'running' | 'waiting' | 'ended' | 'cancelled';
  requires?: string[];
  exit_code?: number;
  agent_id?: string;
}

export interface AgentView {
  agent_id: string;
  name: string;
  state: 'online' | 'offline';
  os: string;
  arch: string;
  slots: number;
  capabilities: string[];
  version: string;
  last_seen_at: string;
}

export interface LockView {
  group: string;
  holder: { run_id: string; since: string; age_ms: number; fence: number };
  /** In the order in which they will be granted. */
  queue: { run_id: string; since: string; age_ms: number }[];
  queue_length: number;
}

export interface WhoAmI {
  user: { id: string; name: string };
  token: { id: string; name: string; kind: string; expires_at?: string | null };
  orgs: { org: string; role: string; projects: { project: string; role: string }[] }[];
}

export const isTerminal = (status: string) => ['succeeded', 'failed', 'cancelled'].includes(status);
