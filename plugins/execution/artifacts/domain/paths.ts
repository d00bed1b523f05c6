/** Maximum bytes of a path, and of one of its names, as file systems and object stores limit them. */
export const MAX_PATH_BYTES = 512;
const MAX_NAME_BYTES = 255;

const CONTROL = /\p{Cc}/u;

/**
 * Returns why a text cannot be the path of an artifact, or undefined. Paths are compared byte by byte, have `/`
 * between names, and name a file below any folder to which they are written.
 */
export function validatePath(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (!path.isWellFormed()) return 'is not Unicode text';
  if (CONTROL.test(path)) return 'contains a control character';
  if (path.includes('\\')) return 'contains a backslash; write / between names';
  if (path.startsWith('/')) return 'is absolute; start with a name';
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_PATH_BYTES) return `is ${bytes} bytes long; the limit is ${MAX_PATH_BYTES}`;
  for (const name of path.split('/')) {
    if (name === '') return 'contains an empty name (two slashes, or one at the end)';
    if (name === '.' || name === '..') return `contains the name "${name}"`;
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `contains a name of more than ${MAX_NAME_BYTES} bytes`;
  }
  return undefined;
}
