import type { Json } from '../../../engine/runs/contract.ts';

/** Whether these have the form of files next to a script. The rules of a submit check the content of each. */
export const areIncludedFiles = (files: Json | undefined): boolean =>
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
