/**
 * True for a repository on the server of the forge's API, so that a webhook's credential can be sent there. A delivery names
 * the address of its repository, and whoever has only the webhook's secret can sign a delivery. `https://api.forge.example`
 * also serves the repositories of `https://forge.example`.
 */
export function isOnForge(repository_url: string, api_base: string | undefined): boolean {
  if (api_base === undefined || !URL.canParse(repository_url) || !URL.canParse(api_base)) return false;
  const [repository, api] = [new URL(repository_url), new URL(api_base)];
  return repository.protocol === api.protocol && [repository.host, `api.${repository.host}`].includes(api.host);
}
