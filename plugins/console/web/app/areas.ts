import type { Role } from './session.ts';

const PROJECT = '/orgs/$org/projects/$project';

/** What the pages of a project are, in the order of the menu. */
const AREAS = [
  { to: PROJECT, name: 'Overview', exact: true },
  { to: `${PROJECT}/runs`, name: 'Runs', exact: false },
  { to: `${PROJECT}/graphs`, name: 'Graphs', exact: false },
  { to: `${PROJECT}/pipelines`, name: 'Pipelines', exact: false },
  { to: `${PROJECT}/events`, name: 'Events', exact: false },
  { to: `${PROJECT}/handlers`, name: 'Handlers', exact: false },
  { to: `${PROJECT}/schedules`, name: 'Schedules', exact: false },
  { to: `${PROJECT}/hooks`, name: 'Hooks', exact: false },
  { to: `${PROJECT}/webhooks`, name: 'Webhooks', exact: false },
  { to: `${PROJECT}/connections`, name: 'Connections', exact: false, role: 'member' },
  { to: `${PROJECT}/connectors`, name: 'Connectors', exact: false },
  { to: `${PROJECT}/locks`, name: 'Locks', exact: false },
  { to: `${PROJECT}/agents`, name: 'Agents', exact: false },
  { to: `${PROJECT}/members`, name: 'Members and tokens', exact: false },
  { to: `${PROJECT}/audit`, name: 'Audit', exact: false, role: 'admin' },
  { to: `${PROJECT}/settings`, name: 'Settings', exact: false },
  { to: `${PROJECT}/plugins`, name: 'Plugins', exact: true },
] as const satisfies readonly { to: string; name: string; exact: boolean; role?: Role }[];

/** As plugins name it: `runs`; `overview` for the first one. */
export const areaOf = (to: string): string => to.slice(PROJECT.length + 1) || 'overview';

/** The pages of which the person may see something. */
export const areasFor = (may: (role: Role) => boolean) =>
  AREAS.filter((area) => may('role' in area ? area.role : 'viewer'));
