const PROJECT = '/orgs/$org/projects/$project';

/** What the pages of a project are, in the order of the menu. */
export const AREAS = [
  { to: PROJECT, name: 'Overview', exact: true },
  { to: `${PROJECT}/runs`, name: 'Runs', exact: false },
  { to: `${PROJECT}/connections`, name: 'Connections', exact: false },
] as const satisfies readonly { to: string; name: string; exact: boolean }[];
