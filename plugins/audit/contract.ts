import type { HttpRequest, Principal, Queries } from '../../kernel/contracts/index.ts';
import { token } from '../../kernel/contracts/index.ts';

/** The caller, its address and the request. An `HttpRequest` is one. */
export interface AuditSource {
  /** Nobody: the operator with `svc admin`, or the service itself. */
  principal?: Principal | null | undefined;
  request_id: string;
  ip: string;
}

/** One action, or one read of a secret value. Names and ids only, never a value. */
export interface AuditEntry extends AuditSource {
  /** `''` for actions outside of any org. */
  org_id: string;
  /** Null for actions on the org itself. */
  project_id: string | null;
  /** `<noun>.<verb>`, e.g. `secret.read`, `run.cancel`; at most 64 characters. */
  action: string;
  /** The name or id of its object, e.g. `NPM_TOKEN`; at most 255 characters are stored. */
  subject: string;
  /** Details, e.g. `role admin`; at most 255 characters are stored. */
  detail?: string;
}

/** Stores who did what. Rows are only added. */
export interface Audit {
  /** Writes the entry in `tx`, so that it exists exactly when the change does. */
  record(tx: Queries, entry: AuditEntry): Promise<void>;
  /** The same for many entries, in few statements. */
  recordAll(tx: Queries, entries: readonly AuditEntry[]): Promise<void>;
}

/** The operator: `svc admin`, or `svc dev` at its start. */
export const OPERATOR: AuditSource = Object.freeze({ principal: null, request_id: '', ip: '' });

export const Audit = token<Audit>('audit.Audit');

/** The audit source of a request; keep this and not the request. */
export const auditSource = ({ principal, request_id, ip }: HttpRequest): AuditSource => ({
  principal,
  request_id,
  ip,
});
