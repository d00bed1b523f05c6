import type { HttpRequest, Principal, Queries } from '../../../kernel/contracts/index.ts';
import { token } from '../../../kernel/contracts/index.ts';

/** The caller, its address and the request. An `HttpRequest` is one. */
export interface AuditSource {
  /** Null for the operator with `svc admin`, and for the service itself. */
  principal?: Principal | null | undefined;
  request_id: string;
  ip: string;
}

/** An action, or a read of a secret value. It contains names and ids, and never a value. */
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

/** Records who did what. Entries are never changed. */
export interface Audit {
  /** Writes the entry in `tx`, so that it exists exactly when the change does. */
  record(tx: Queries, entry: AuditEntry): Promise<void>;
  /** Writes many entries in few statements. */
  recordAll(tx: Queries, entries: readonly AuditEntry[]): Promise<void>;
}

/** The operator: `svc admin`, or `svc dev` at its start. */
export const OPERATOR: AuditSource = Object.freeze({ principal: null, request_id: '', ip: '' });

export const Audit = token<Audit>('audit.Audit');

/** Returns the audit source of a request. Store this instead of the whole request. */
export const auditSource = ({ principal, request_id, ip }: HttpRequest): AuditSource => ({
  principal,
  request_id,
  ip,
});
