import type { Database } from '../../../../kernel/contracts/index.ts';
import type { Members } from '../../access/contract.ts';
import type { Prunable } from '../../../platform/retention/contract.ts';
import { grantsOf } from '../store/grants.ts';
import { absentPeople, removePerson } from '../store/people.ts';

export interface PrunablePeopleDeps {
  database: Database;
  members: Pick<Members, 'rolesOf' | 'isInvited'>;
}

/** A person who signs in again after that is a new user. The name of the old user stays reserved. */
export const prunablePeople = ({ database, members }: PrunablePeopleDeps): Prunable => ({
  name: 'people',
  summary: "an issuer's users who have not signed in since then and are neither members of an org nor invited to one",
  async *prune(before, limit) {
    for (let after = ''; ; ) {
      const page = await absentPeople(database, before, after, limit);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.person;
      let removed = 0;
      for (const { person, user_id } of page) {
        const roles = [...(await members.rolesOf(user_id)), ...(await grantsOf(database, user_id))];
        if (roles.length === 0 && !(await members.isInvited(user_id)))
          removed += await removePerson(database, person, before);
      }
      yield removed;
    }
  },
});
