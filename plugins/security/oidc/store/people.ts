import { createHash } from 'node:crypto';
import type { Queries } from '../../../../kernel/contracts/index.ts';

export interface PersonRow {
  person: string;
  issuer: string;
  subject: string;
  user_id: string;
  user_name: string;
}

/** Makes the key of a person. Subjects are compared byte by byte, and only within their issuer. */
export const personKey = (issuer: string, subject: string): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');

export async function findPerson(on: Pick<Queries, 'read'>, person: string): Promise<PersonRow | undefined> {
  const [row] = await on.read<PersonRow>(
    'SELECT person, issuer, subject, user_id, user_name FROM oidc_people WHERE person = ?',
    [person],
  );
  return row;
}

/** Inserts a person. When somebody new signs in twice at once, only one of the two inserts succeeds. */
export const insertPerson = (on: Queries, { person, issuer, subject, user_id, user_name }: PersonRow, now: number) =>
  on.write(
    `${on.sql.insert_ignore} oidc_people (person, issuer, subject, user_id, user_name, created_at, signed_in_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [person, issuer, subject, user_id, user_name, now, now],
  );

export const noteSignIn = (on: Queries, person: string, now: number): Promise<number> =>
  on.write('UPDATE oidc_people SET signed_in_at = ? WHERE person = ?', [now, person]);

/** Those behind one who have not come since `before`, in order. */
export const absentPeople = (
  on: Pick<Queries, 'read'>,
  before: number,
  after: string,
  limit: number,
): Promise<Pick<PersonRow, 'person' | 'user_id'>[]> =>
  on.read<Pick<PersonRow, 'person' | 'user_id'>>(
    `SELECT person, user_id FROM oidc_people WHERE person > ? AND signed_in_at < ? ORDER BY person LIMIT ${Math.trunc(limit)}`,
    [after, before],
  );

/** Unless they have come meanwhile. */
export const removePerson = (on: Queries, person: string, before: number): Promise<number> =>
  on.write('DELETE FROM oidc_people WHERE person = ? AND signed_in_at < ?', [person, before]);
