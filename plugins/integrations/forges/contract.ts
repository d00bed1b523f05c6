export { type ForgeDelivery, type ForgeEvent, ForgeEvents } from './contract/forge-event.ts';

/** A node of a flow that reads a file of a repository: its config is a `RepoFile`, its output the text. */
export { REPO_FILE_NODE, validatePath } from './contract/repo-file.ts';

/** A file of a repository at a forge, as its API shows it. */
export interface RepoFile {
  /** The repository as the forge names it: `acme/web`. */
  repo: string;
  /** The path from the root of the repository: `ops/deploy.yaml`. */
  path: string;
  /** A branch, tag or commit. By default the forge's default branch. */
  ref?: string;
  /**
   * The connector of the forge. By default that of the project's webhook for this repository, or else the only forge
   * with a host of its own.
   */
  forge?: string;
  /** The address of its API. By default that of the webhook, or else that of the connector. */
  api_base?: string;
  /** The name of the credential (`bearer` or `basic`) that reads the file. */
  credential: string;
}
