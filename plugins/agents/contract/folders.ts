/** Folders of a process, which go with it. */
export { memoryParent } from './memory-folder.ts';
export { removeFolder } from './remove-folder.ts';
export { takeBack } from './take-back.ts';
export { makeRuntimeDir, removeRuntimeDir, sweepRuntimeDirs } from './runtime-dir.ts';
