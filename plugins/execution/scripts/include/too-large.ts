import { includeTooLarge, largestOf, MAX_INCLUDED_BYTES, MAX_INCLUDED_FILES } from '../../../engine/runs/contract.ts';

const MAX_LISTED_FOLDERS = 3;

export const tooLarge = (bytes: number, files: Parameters<typeof largestOf>[0]): Error =>
  includeTooLarge(
    `the included files total ${bytes} bytes; the limit is ${MAX_INCLUDED_BYTES}. The largest: ${largestOf(files)}`,
  );

/** Returns an error that names the folders with most of the files. */
export function tooManyFiles(paths: readonly string[]): Error {
  const folders = [...Map.groupBy(paths, (path) => path.split('/').slice(0, -1).slice(0, 2).join('/') || '.')]
    .map(([folder, all]) => ({ folder, count: all.length }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_LISTED_FOLDERS)
    .map(({ folder, count }) => `${folder} (${count})`);
  return includeTooLarge(
    `${paths.length} files or more are included; the limit is ${MAX_INCLUDED_FILES}. Most are in ${folders.join(', ')}`,
  );
}
