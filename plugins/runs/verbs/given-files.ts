import type { Json } from '../contract.ts';

/** True when these may be the files beside a script; the rules of a submit say more of each. */
export const areFiles = (files: Json | undefined): boolean =>
  files === undefined ||
  (Array.isArray(files) &&
    files.every((file) => {
      if (file === null || typeof file !== 'object' || Array.isArray(file)) return false;
      const { path, digest, size, executable, ...unknown } = file;
      return (
        [path, digest].every((text) => typeof text === 'string') &&
        typeof size === 'number' &&
        (executable === undefined || typeof executable === 'boolean') &&
        Object.keys(unknown).length === 0
      );
    }));
