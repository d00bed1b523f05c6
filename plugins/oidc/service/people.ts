import type { Database } from '../../../kernel/contracts/index.ts';
import type { Members } from '../../access/contract.ts';
import { findPerson, insertPerson, noteSignIn, personKey } from '../store/people.ts';

export interface User {
  user_id: string;
  name: string;
}

/** Which user of ours a person of the issuer is. */
export class People {
  readonly #database: Database;
  readonly #members: Pick<Members, 'create'>;

  constructor(parts: { database: Database; members: Pick<Members, 'create'> }) {
    this.#database = parts.database;
    this.#members = parts.members;
  }

  async find(issuer: string, subject: string): Promise<User | undefined> {
    const database = this.#database;
    const key = personKey(issuer, subject);
    const row =
      (await findPerson(database, key)) ?? ((await database.catchUp()) ? await findPerson(database, key) : undefined);
    return row && { user_id: row.user_id, name: row.user_name };
  }

  /** A user of their own: a name that somebody here has already is not theirs. */
  async create(issuer: string, subject: string, wanted: string): Promise<User> {
    const database = this.#database;
    const user = await this.#members.create(wanted);
    const person = personKey(issuer, subject);
    const row = { person, issuer, subject, user_id: user.user_id, user_name: user.name };
    if ((await insertPerson(database, row, database.now())) === 1) return user;
    // They came twice at once.
    const first = (await findPerson(database, person))!;
    return { user_id: first.user_id, name: first.user_name };
  }

  async noteSignIn(issuer: string, subject: string): Promise<void> {
    await noteSignIn(this.#database, personKey(issuer, subject), this.#database.now());
  }
}
