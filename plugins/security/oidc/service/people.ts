import type { Database } from '../../../../kernel/contracts/index.ts';
import type { Members } from '../../access/contract.ts';
import { findPerson, insertPerson, noteSignIn, personKey } from '../store/people.ts';

export interface User {
  user_id: string;
  name: string;
}

/** Maps the people of the issuer to users of this service. */
export class People {
  readonly #database: Database;
  readonly #members: Pick<Members, 'create'>;

  constructor(deps: { database: Database; members: Pick<Members, 'create'> }) {
    this.#database = deps.database;
    this.#members = deps.members;
  }

  async find(issuer: string, subject: string): Promise<User | undefined> {
    const database = this.#database;
    const key = personKey(issuer, subject);
    const row =
      (await findPerson(database, key)) ?? ((await database.catchUp()) ? await findPerson(database, key) : undefined);
    return row && { user_id: row.user_id, name: row.user_name };
  }

  /** Creates a new user. A person never gets an existing user just because the name is the same. */
  async create(issuer: string, subject: string, preferred_name: string): Promise<User> {
    const database = this.#database;
    const user = await this.#members.create(preferred_name);
    const person = personKey(issuer, subject);
    const row = { person, issuer, subject, user_id: user.user_id, user_name: user.name };
    if ((await insertPerson(database, row, database.now())) === 1) return user;
    // The person signed in twice at the same moment.
    const first = (await findPerson(database, person))!;
    return { user_id: first.user_id, name: first.user_name };
  }

  /** They have come just now. False when they are no person here any more. */
  async noteSignIn(issuer: string, subject: string): Promise<boolean> {
    return (await noteSignIn(this.#database, personKey(issuer, subject), this.#database.now())) === 1;
  }
}
