import { includeTooLarge, largestOf, MAX_INCLUDED_BYTES, MAX_INCLUDED_FILES } from '../../runs/contract.ts';

const SHOWN_FOLDERS = 3;

export const tooLarge = (bytes: number, files: Parameters<typeof largestOf>[0]): Error =>
  includeTooLarge(
    `the included files have ${bytes} bytes; the limit is ${MAX_INCLUDED_BYTES}. The largest: ${largestOf(files)}`,
  );

/** Says which folders hold most of them. */
export function tooMany(paths: readonly string[]): Error {
  const folders = [...Map.groupBy(paths, (path) => path.split('/').slice(0, -1).slice(0, 2).join('/') || '.')]
    .map(([folder, all]) => ({ folder, count: all.length }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, SHOWN_FOLDERS)
    .map(({ folder, count }) => `${folder} (${count})`);
  return includeTooLarge(
    `${paths.length} files or more are included; the limit is ${MAX_INCLUDED_FILES}. Most lie in ${folders.join(', ')}`,
  );
}
