/** The page of a run; undefined without a public URL, as the specification wants. */
export function runUrl(public_url: string | undefined, scope: { org: string; project: string }, run_id: string) {
  if (public_url === undefined) return undefined;
  return `${public_url.replace(/\/+$/, '')}/orgs/${scope.org}/projects/${scope.project}/runs/${run_id}`;
}
