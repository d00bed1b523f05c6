const PROJECT = '/orgs/$org/projects/$project';

/** What the pages of a project are, in the order of the menu. */
export const AREAS = [
  { to: PROJECT, name: 'Overview', exact: true },
  { to: `${PROJECT}/runs`, name: 'Runs', exact: false },
  { to: `${PROJECT}/events`, name: 'Events', exact: false },
  { to: `${PROJECT}/handlers`, name: 'Handlers', exact: false },
  { to: `${PROJECT}/schedules`, name: 'Schedules', exact: false },
  { to: `${PROJECT}/hooks`, name: 'Hooks', exact: false },
  { to: `${PROJECT}/webhooks`, name: 'Webhooks', exact: false },
  { to: `${PROJECT}/connections`, name: 'Connections', exact: false },
] as const satisfies readonly { to: string; name: string; exact: boolean }[];
