import type { Membership } from '../../access/contract.ts';

export type Role = Membership['role'];
export type Place = Pick<Membership, 'org_id' | 'project_id'>;

/** A role that this plugin gave; `before` is the lower one in whose place it came. */
export interface Grant extends Membership {
  before: Role | null;
}

/** `set`: null takes the membership away. `grant`: what is noted of it; null forgets it. */
export interface RoleChange extends Place {
  set?: Role | null;
  grant?: Grant | null;
}

const RANK: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2, owner: 3 };
export const higher = (one: Role, other: Role): boolean => RANK[one] > RANK[other];

export const placeKey = ({ org_id, project_id }: Place): string => `${org_id} ${project_id ?? ''}`;

/** One role for each place: the highest. A role in a project brings membership of its org. */
function highest(wanted: readonly Membership[]): Map<string, Membership> {
  const found = new Map<string, Membership>();
  const take = (one: Membership) => {
    const held = found.get(placeKey(one));
    if (!held || higher(one.role, held.role)) found.set(placeKey(one), one);
  };
  for (const one of wanted) {
    take(one);
    if (one.project_id !== null) take({ org_id: one.org_id, project_id: null, role: 'member' });
  }
  return found;
}

/**
 * What makes the roles of a person those of the claims: what is new is given, and what was given before and is wanted no
 * more is taken away. What people gave by hand stays, unless the claims give more. Orgs come before their projects when
 * something is given, and after them when it is taken away.
 */
export function roleChanges(
  wanted: readonly Membership[],
  given: readonly Grant[],
  held: readonly Membership[],
): RoleChange[] {
  const wants = highest(wanted);
  const grants = new Map(given.map((one) => [placeKey(one), one]));
  const holds = new Map(held.map((one) => [placeKey(one), one.role]));
  const gives = [...wants.values()]
    .toSorted(orgsFirst)
    .flatMap((one) => giving(one, grants.get(placeKey(one)), holds.get(placeKey(one))));
  const takes = given
    .filter((one) => !wants.has(placeKey(one)))
    .toSorted((one, other) => orgsFirst(other, one))
    .map((one) => taking(one, holds.get(placeKey(one))));
  return [...gives, ...keepOrgs(takes, holds, wants)];
}

const orgsFirst = (one: Place, other: Place): number =>
  Number(one.project_id !== null) - Number(other.project_id !== null);

function giving(wanted: Membership, grant: Grant | undefined, held: Role | undefined): RoleChange[] {
  const { org_id, project_id, role } = wanted;
  const byHand = held !== undefined && held !== grant?.role;
  if (held === role || (byHand && higher(held, role)))
    return byHand && grant ? [{ org_id, project_id, grant: null }] : [];
  const before = byHand ? held : held === undefined ? null : (grant?.before ?? null);
  return [{ org_id, project_id, set: role, grant: { org_id, project_id, role, before } }];
}

function taking({ org_id, project_id, role, before }: Grant, held: Role | undefined): RoleChange {
  return { org_id, project_id, grant: null, ...(held === role ? { set: before } : {}) };
}

/** Leaving an org would end what was given by hand in its projects: then plain membership stays, and is looked at again. */
function keepOrgs(
  takes: readonly RoleChange[],
  holds: ReadonlyMap<string, Role>,
  wants: ReadonlyMap<string, Membership>,
): RoleChange[] {
  const left = new Set(takes.filter(({ set }) => set === null).map(placeKey));
  const isNeeded = (org_id: string) =>
    [...holds.keys(), ...wants.keys()].some(
      (key) => key.startsWith(`${org_id} `) && key !== `${org_id} ` && !left.has(key),
    );
  return takes.flatMap((one) => {
    const { org_id, project_id, set } = one;
    if (project_id !== null || set !== null || !isNeeded(org_id)) return [one];
    const plain: Grant = { org_id, project_id, role: 'member', before: null };
    return holds.get(placeKey(one)) === 'member' ? [] : [{ org_id, project_id, set: 'member', grant: plain }];
  });
}
