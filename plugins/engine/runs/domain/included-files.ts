import type { Fault } from '../../../../kernel/contracts/index.ts';
import { type IncludedFile, includedPathFault, MAX_INCLUDED_FILES } from '../contract.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** In the order of their paths, with the same members everywhere: the same files are the same text. */
export const canonicalFiles = (files: readonly IncludedFile[] = []): IncludedFile[] =>
  files
    .map(({ path, digest, size, executable }) => ({ path, digest, size, ...(executable === true && { executable }) }))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));

/** Faults of the files of a submit, each with its pointer into the body. */
export function fileFaults(files: readonly IncludedFile[]): Fault[] {
  if (files.length > MAX_INCLUDED_FILES)
    return [{ pointer: '/files', message: `has ${files.length} files; the limit is ${MAX_INCLUDED_FILES}` }];
  const faults = files.flatMap(({ path, digest, size }, n): Fault[] => {
    const fault = includedPathFault(path);
    if (fault !== undefined) return [{ pointer: `/files/${n}/path`, message: fault }];
    if (!DIGEST.test(digest)) return [{ pointer: `/files/${n}/digest`, message: 'must be sha256:<64 hex digits>' }];
    const whole = Number.isSafeInteger(size) && size >= 0;
    return whole ? [] : [{ pointer: `/files/${n}/size`, message: 'must be a number of bytes' }];
  });
  return faults.length > 0 ? faults : clashes(files);
}

/** Two files at one place, or a file where another one needs a folder. */
function clashes(files: readonly IncludedFile[]): Fault[] {
  const paths = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of files)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  return files.flatMap(({ path }, n): Fault[] => {
    const pointer = `/files/${n}/path`;
    if (paths.has(path)) return [{ pointer, message: `contains ${path} twice` }];
    paths.add(path);
    return folders.has(path) ? [{ pointer, message: `is a file, but other files are under ${path}/` }] : [];
  });
}
