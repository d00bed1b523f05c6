/** A project, as addresses of pages and of the API have it. */
export interface Scope {
  org: string;
  project: string;
}

const part = encodeURIComponent;

/** `/api/v1/orgs/acme/projects/main/runs`. Parts of `path` must be encoded. */
export const scoped = ({ org, project }: Scope, path = ''): string =>
  `/api/v1/orgs/${part(org)}/projects/${part(project)}${path}`;

/** Without what is undefined or empty: `?a=1&b=2`. */
export function query(values: Record<string, string | number | boolean | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}
