import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help text of this plugin's verb. */
export const artifactPutHelp = {
  verb: 'artifact put',
  usage: 'svc artifact put <folder>|<file> [--as <path>]',
  brief: 'store files as artifacts of the run',
  summary:
    "Stores a folder's files, or one file, as the run's artifacts and prints their paths. Each call stores them once, even if the script replays. All files become visible together. Artifact paths start with the folder's name, or with the value of --as (. for no prefix).",
  args: [{ name: 'folder', summary: 'a folder, or one file' }],
  flags: {
    as: { type: 'string', value: '<path>', summary: 'prefix of the paths; for a file, its entire path' },
  },
  exits: [
    ['0', 'the paths are on standard output'],
    ['1', 'a file cannot be used, or cannot be stored'],
  ],
  recorded: 'The paths. The files appear together with the record, and a later pass reads no files.',
  examples: [['svc artifact put dist', 'stores dist/index.html and all other files']],
} as const satisfies ScriptVerb;

/** Help text of the verb that fetches artifacts. */
export const artifactGetHelp = {
  verb: 'artifact get',
  usage: 'svc artifact get [<path>] [--output <folder>]',
  brief: 'fetch artifacts of the run',
  summary:
    "Downloads the run's artifacts into a folder and prints their paths: all of them, those in a folder, or one file. It needs no token and no run ID. To write one file to standard output, use --output -.",
  args: [{ name: 'path', summary: 'a folder or a file; default: everything', optional: true }],
  flags: {
    output: { type: 'string', value: '<folder>', summary: 'target folder (default .); - prints one file' },
  },
  exits: [
    ['0', 'the paths are on standard output'],
    ['1', 'the run has no such artifact, or the files cannot be written'],
  ],
  recorded: 'Nothing. Each pass downloads the artifacts that the run has at that time.',
  examples: [
    ['svc artifact get dist', 'writes dist/index.html and all other files in dist'],
    ['svc artifact get version.txt --output -', 'prints one file'],
  ],
} as const satisfies ScriptVerb;

/** Help text of the verb that restores a cache. */
export const cacheRestoreHelp = {
  verb: 'cache restore',
  usage: 'svc cache restore <key> [--or <prefix>]…',
  brief: 'restore cached files',
  summary:
    'Restores the files that a run of the project saved under this key to the current folder, and prints the key. If no cache has the key, svc uses the newest cache whose key begins with a prefix in --or. If there is none, it prints nothing and exits with 0.',
  args: [{ name: 'key', summary: 'the key of the cache' }],
  flags: { or: { type: 'string', value: '<prefix>', many: true, summary: 'prefix of other keys to accept' } },
  exits: [['0', 'standard output contains the restored key, or nothing']],
  recorded: 'Nothing. Each pass restores the cache again.',
  examples: [['svc cache restore "npm-$hash" --or npm-', 'the cache with this hash, or otherwise the newest one']],
} as const satisfies ScriptVerb;

/** Help text of the verb that saves a cache. */
export const cacheSaveHelp = {
  verb: 'cache save',
  usage: 'svc cache save <key> <path>…',
  brief: 'cache files for later runs',
  summary:
    'Saves files and folders of the current folder under a key, for `svc cache restore` in later runs of the project, and prints the key. A key is saved only once: if it already exists, nothing happens. Untrusted runs have separate caches.',
  args: [
    { name: 'key', summary: 'the key of the cache' },
    { name: 'path', summary: 'a file or a folder', rest: true },
  ],
  exits: [['0', 'the key is on standard output if it was saved']],
  recorded: 'Nothing.',
  examples: [['svc cache save "npm-$hash" node_modules', 'saves the folder']],
} as const satisfies ScriptVerb;

export const verbs = [artifactPutHelp, artifactGetHelp, cacheRestoreHelp, cacheSaveHelp];
