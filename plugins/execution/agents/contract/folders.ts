/** Folders that belong to a process and are removed with it. */
export { findMemoryFolder } from './memory-folder.ts';
export { removeFolder } from './remove-folder.ts';
export { reclaimFolder } from './reclaim-folder.ts';
export { isProcessAlive, makeRuntimeDir, removeRuntimeDir, sweepRuntimeDirs } from './runtime-dir.ts';
