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
}

export interface WhoAmI {
  user: { id: string; name: string };
  token: { id: string; name: string; kind: string; expires_at?: string | null };
  orgs: { org: string; role: string; projects: { project: string; role: string }[] }[];
}

export const isTerminal = (status: string) => ['succeeded', 'failed', 'cancelled'].includes(status);
