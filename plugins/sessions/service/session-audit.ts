import { BoundedMap, type Clock, type Database, type Queries } from '../../../kernel/contracts/index.ts';
import type { Members } from '../../access/contract.ts';
import type { Audit, AuditEntry } from '../../audit/contract.ts';

type Told = Omit<AuditEntry, 'org_id' | 'project_id'>;
type Person = { user_id: string; org_id: string | null };

/** Refusals of one session are told so often, at most: who sends them decides how many there are. */
const APART_MS = 60_000;
const SESSIONS = 10_000;

/** Entries about sessions stand in every org that the session reaches. */
export class SessionAudit {
  readonly #database: Database;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #audit: Audit;
  readonly #members: Pick<Members, 'rolesOf'>;
  readonly #told = new BoundedMap<string, number>(SESSIONS);

  constructor(parts: {
    database: Database;
    clock: Pick<Clock, 'monotonic'>;
    audit: Audit;
    members: Pick<Members, 'rolesOf'>;
  }) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#audit = parts.audit;
    this.#members = parts.members;
  }

  /** The org of a token that is limited to one, otherwise those of the person. */
  async placesOf({ user_id, org_id }: Person): Promise<string[]> {
    if (org_id !== null) return [org_id];
    const roles = await this.#members.rolesOf(user_id);
    const places = roles.filter(({ project_id }) => project_id === null).map((role) => role.org_id);
    return places.length === 0 ? [''] : places;
  }

  record(tx: Queries, places: readonly string[], told: Told): Promise<void> {
    return this.#audit.recordAll(
      tx,
      places.map((org_id) => ({ ...told, org_id, project_id: null })),
    );
  }

  /** Something that a session was refused. */
  async refused(session_id: string, person: Person, told: Omit<Told, 'action'>): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - (this.#told.get(session_id) ?? Number.NEGATIVE_INFINITY) < APART_MS) return;
    this.#told.set(session_id, now);
    await this.record(this.#database, await this.placesOf(person), { ...told, action: 'session.refused' });
  }
}
