import type { Queries } from '../../../kernel/contracts/index.ts';
import { chunks } from '../../../kernel/contracts/index.ts';
import { canExist, type ProjectScope } from '../../resources/contract.ts';
import type { CredentialState, CredentialStates, CredentialWish, HeldState, NameHolder } from '../contract.ts';
import { CREDENTIAL } from '../domain/names.ts';
import { refusalOf } from '../domain/refusal.ts';

/** A side that holds a name, and what it says about it. */
export interface Held {
  by: NameHolder;
  says: HeldState;
}

type Reading = Pick<Queries, 'read'>;

export const createStates = (holders: readonly NameHolder[]): CredentialStates => ({
  refusal: refusalOf,
  async states(on, scope, wishes) {
    const names = wishes.map(({ name }) => name);
    const held = await heldBy(holders, on, scope, names);
    return wishes.map((wish) => stateOf(wish, held.get(wish.name)));
  },
});

/** Asks every side for all names at once. */
export async function heldBy(
  holders: readonly NameHolder[],
  on: Reading,
  scope: ProjectScope,
  names: readonly string[],
): Promise<Map<string, Held[]>> {
  const found = new Map<string, Held[]>();
  const possible = [...new Set(names)].filter((name) => canExist(CREDENTIAL, name));
  for (const part of chunks(possible))
    for (const by of holders)
      for (const [name, says] of await by.states(on, scope, part))
        found.set(name, [...(found.get(name) ?? []), { by, says }]);
  return found;
}

/** A name that two sides hold resolves to neither. */
export function stateOf({ kinds }: CredentialWish, held: readonly Held[] = []): CredentialState {
  const [one, another] = held;
  if (one === undefined) return { state: 'missing' };
  if (another !== undefined) return { state: 'conflict' };
  const { says } = one;
  if (says.state !== 'ok' || kinds === undefined || kinds.includes(says.kind)) return says;
  return { state: 'wrong_kind', stored_kind: says.kind };
}
