import type { Role } from './session.ts';

const PROJECT = '/orgs/$org/projects/$project';

/** What the pages of a project are, in the groups and the order of the navigation. `key` follows `g`. */
const AREAS = [
  { group: 'Observe', to: PROJECT, name: 'Overview', exact: true, key: 'o' },
  { group: 'Observe', to: `${PROJECT}/runs`, name: 'Runs', exact: false, key: 'r' },
  { group: 'Observe', to: `${PROJECT}/events`, name: 'Events', exact: false, key: 'e' },
  { group: 'Observe', to: `${PROJECT}/insights`, name: 'Insights', exact: false, key: 'y' },
  { group: 'Build', to: `${PROJECT}/graphs`, name: 'Graphs', exact: false, key: 'g' },
  { group: 'Build', to: `${PROJECT}/pipelines`, name: 'Pipelines', exact: false, key: 'p' },
  { group: 'Build', to: `${PROJECT}/functions`, name: 'Functions', exact: false, key: 'f' },
  { group: 'Triggers', to: `${PROJECT}/handlers`, name: 'Handlers', exact: false, key: 'h' },
  { group: 'Triggers', to: `${PROJECT}/schedules`, name: 'Schedules', exact: false, key: 's' },
  { group: 'Triggers', to: `${PROJECT}/triggers`, name: 'Polling', exact: false, key: 'b' },
  { group: 'Triggers', to: `${PROJECT}/webhooks`, name: 'Webhooks', exact: false, key: 'w' },
  { group: 'Triggers', to: `${PROJECT}/hooks`, name: 'Hooks', exact: false, key: 'k' },
  { group: 'Connect', to: `${PROJECT}/connections`, name: 'Connections', exact: false, role: 'member', key: 'c' },
  { group: 'Connect', to: `${PROJECT}/connectors`, name: 'Connectors', exact: false, key: 'n' },
  { group: 'Admin', to: `${PROJECT}/agents`, name: 'Agents', exact: false, key: 'a' },
  { group: 'Admin', to: `${PROJECT}/locks`, name: 'Locks', exact: false, key: 'l' },
  { group: 'Admin', to: `${PROJECT}/caches`, name: 'Caches', exact: false, key: 'x' },
  { group: 'Admin', to: `${PROJECT}/members`, name: 'Members', exact: false, key: 'm' },
  { group: 'Admin', to: `${PROJECT}/audit`, name: 'Audit', exact: false, role: 'admin', key: 'u' },
  { group: 'Admin', to: `${PROJECT}/settings`, name: 'Settings', exact: false, key: 't' },
  { group: 'Admin', to: `${PROJECT}/plugins`, name: 'Plugins', exact: true, key: 'i' },
] as const satisfies readonly { group: string; to: string; name: string; exact: boolean; key: string; role?: Role }[];

export type Area = (typeof AREAS)[number];

/** As plugins name it: `runs`; `overview` for the first one. */
export const areaOf = (to: string): string => to.slice(PROJECT.length + 1) || 'overview';

/** The pages of which the person may see something. */
export const areasFor = (may: (role: Role) => boolean): Area[] =>
  AREAS.filter((area) => may('role' in area ? area.role : 'viewer'));

/** In groups; a group without a page is left out. */
export const groupsFor = (may: (role: Role) => boolean): [group: string, areas: Area[]][] => [
  ...Map.groupBy(areasFor(may), ({ group }) => group),
];
