import type { Database, ServiceError } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import type { CredentialFields, Credentials, CredentialState, CredentialWish, NameHolder } from '../contract.ts';
import { rawOf } from '../contract/raw.ts';
import { refusalOf } from '../domain/refusal.ts';
import { heldBy, stateOf } from './states.ts';

/** Asks the side that holds a name, credentials or accounts, for its fields. */
export function createResolver(database: Pick<Database, 'read'>, holders: readonly NameHolder[]): Credentials {
  async function resolve(scope: ProjectScope, wish: CredentialWish): Promise<CredentialFields> {
    const held = (await heldBy(holders, database, scope, [wish.name])).get(wish.name);
    const state = stateOf(wish, held);
    if (state.state !== 'ok') throw refused(wish, state);
    const fields = await held![0]!.by.fields(scope, wish.name, wish.by);
    // Both may have changed since the state was read.
    if (fields === undefined) throw refused(wish, await changed(scope, wish));
    if (wish.kinds?.includes(fields.kind) === false)
      throw refused(wish, { state: 'wrong_kind', stored_kind: fields.kind });
    return fields;
  }
  /** What it is now: removed, or not good any more. */
  async function changed(scope: ProjectScope, wish: CredentialWish): Promise<CredentialState> {
    const state = stateOf(wish, (await heldBy(holders, database, scope, [wish.name])).get(wish.name));
    return state.state === 'ok' ? { state: 'missing' } : state;
  }
  return {
    resolve,
    raw: async (scope, wish) => rawOf(await resolve(scope, wish)),
    refused: (scope, name) => {
      for (const holder of holders) holder.onRefused?.(scope, name);
    },
  };
}

const refused = (wish: CredentialWish, state: CredentialState): ServiceError => refusalOf(wish, state)!;
