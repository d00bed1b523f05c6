import { BoundedMap, type Clock, type Database, type Queries } from '../../../../kernel/contracts/index.ts';
import type { Members } from '../../access/contract.ts';
import type { Audit, AuditEntry } from '../../../platform/audit/contract.ts';

type SessionEntry = Omit<AuditEntry, 'org_id' | 'project_id'>;
type Person = { user_id: string; org_id: string | null };

/** The shortest interval between two audit entries about rejected requests of one session, because anybody can send many. */
const MIN_INTERVAL_MS = 60_000;
const MAX_SESSIONS = 10_000;

/** Writes the audit entries of sessions. They go to every org that the session can see. */
export class SessionAudit {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #audit: Audit;
  readonly #members: Pick<Members, 'rolesOf'>;
  readonly #recorded_at = new BoundedMap<string, number>(MAX_SESSIONS);

  constructor(deps: {
    database: Database;
    clock: Pick<Clock, 'monotonic'>;
    audit: Audit;
    members: Pick<Members, 'rolesOf'>;
  }) {
    this.#database = deps.database;
    this.#clock = deps.clock;
    this.#audit = deps.audit;
    this.#members = deps.members;
  }

  /** Returns the org of a token that is limited to one, or else all orgs of the person. */
  async orgsOf({ user_id, org_id }: Person): Promise<string[]> {
    if (org_id !== null) return [org_id];
    const roles = await this.#members.rolesOf(user_id);
    const org_ids = roles.filter(({ project_id }) => project_id === null).map((role) => role.org_id);
    return org_ids.length === 0 ? [''] : org_ids;
  }

  record(tx: Queries, org_ids: readonly string[], entry: SessionEntry): Promise<void> {
    return this.#audit.recordAll(
      tx,
      org_ids.map((org_id) => ({ ...entry, org_id, project_id: null })),
    );
  }

  /** Records that a request of a session was rejected. */
  async recordRejection(session_id: string, person: Person, entry: Omit<SessionEntry, 'action'>): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - (this.#recorded_at.get(session_id) ?? Number.NEGATIVE_INFINITY) < MIN_INTERVAL_MS) return;
    this.#recorded_at.set(session_id, now);
    await this.record(this.#database, await this.orgsOf(person), { ...entry, action: 'session.refused' });
  }
}
