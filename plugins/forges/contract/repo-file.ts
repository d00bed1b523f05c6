export const REPO_FILE_NODE = 'repo_file';

const MAX_PATH = 1024;

/** Why a text is no path of a repository or of a file in one; undefined when it is. */
export function pathFault(path: string): string | undefined {
  const parts = path.replace(/^\/+/, '').split('/');
  const wrong = path.length > MAX_PATH || parts.some((part) => part === '' || part === '.' || part === '..');
  return wrong ? 'must be a path of names between slashes, without . and ..' : undefined;
}
