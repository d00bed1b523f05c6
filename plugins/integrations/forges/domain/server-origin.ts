/** The protocol, host and port of a URL; undefined if it is none. */
export function serverOrigin(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/**
 * True for a repository on the server of the forge's API, so that a webhook's credential can be sent there. A delivery names
 * the address of its repository, and whoever has only the webhook's secret can sign a delivery. `https://api.forge.example`
 * also serves the repositories of `https://forge.example`.
 */
export function isOnForge(repository_url: string, api_base: string | undefined): boolean {
  const repository = serverOrigin(repository_url);
  const api = api_base === undefined ? undefined : serverOrigin(api_base);
  return repository !== undefined && (api === repository || api === repository.replace('://', '://api.'));
}
