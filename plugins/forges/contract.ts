export { type ForgeDelivery, type ForgeEvent, ForgeEvents } from './contract/forge-event.ts';

/** A node of a flow that reads a file of a repository: its config is a `RepoFile`, its output the text. */
export { REPO_FILE_NODE, pathFault } from './contract/repo-file.ts';

/** A file of a repository at a forge, as its API shows it. */
export interface RepoFile {
  /** As the forge names it: `acme/web`. */
  repo: string;
  /** From the root of the repository: `ops/deploy.yaml`. */
  path: string;
  /** Branch, tag or commit; absent: what the forge shows first. */
  ref?: string;
  /** The connector of the forge; absent: that of the project's webhook for this repository, else the one with a host of its own. */
  forge?: string;
  /** Where its API is; absent: as for the webhook, else the default of the connector. */
  api_base?: string;
  /** Name of the credential (`bearer` or `basic`) with which it is read. */
  credential: string;
}
