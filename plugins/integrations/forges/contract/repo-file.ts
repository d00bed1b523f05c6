export const REPO_FILE_NODE = 'repo_file';

const MAX_PATH = 1024;

/** Explains why a text is not a path within a repository; undefined when it is. */
export function validatePath(path: string): string | undefined {
  const segments = path.replace(/^\/+/, '').split('/');
  const is_invalid =
    path.length > MAX_PATH || segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  return is_invalid ? 'must be names separated by slashes, without . and ..' : undefined;
}
