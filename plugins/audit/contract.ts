import type { HttpRequest, Principal, Queries } from '../../kernel/contracts/index.ts';
import { token } from '../../kernel/contracts/index.ts';

/** Who asked, from where, in which request. An `HttpRequest` is one. */
export interface AuditSource {
  /** Nobody: the operator at the database (`svc admin`), or the service itself. */
  principal?: Principal | null | undefined;
  request_id: string;
  ip: string;
}

/** One thing done, or one secret value read. Names and ids only: never a value. */
export interface AuditEntry extends AuditSource {
  /** `''` for what belongs to no org. */
  org_id: string;
  /** Null for what belongs to the org itself. */
  project_id: string | null;
  /** `<noun>.<verb>`, e.g. `secret.read`, `run.cancel`; at most 64 characters. */
  action: string;
  /** What it was done to: its name or id, e.g. `NPM_TOKEN`; at most 255 characters are kept. */
  subject: string;
  /** What else names it, e.g. `role admin`; at most 255 characters are kept. */
  detail?: string;
}

/** Keeps who did what. Rows are only ever added. */
export interface Audit {
  /** Writes the entry by `tx`, so that it is there exactly when the change is. */
  record(tx: Queries, entry: AuditEntry): Promise<void>;
  /** The same for many, in as few statements as it can. */
  recordAll(tx: Queries, entries: readonly AuditEntry[]): Promise<void>;
}

/** The operator at the database: `svc admin`, or `svc dev` at its start. */
export const OPERATOR: AuditSource = Object.freeze({ principal: null, request_id: '', ip: '' });

export const Audit = token<Audit>('audit.Audit');

/** The source of what a request asks for; keep this, not the request. */
export const auditSource = ({ principal, request_id, ip }: HttpRequest): AuditSource => ({
  principal,
  request_id,
  ip,
});
