import type { ScriptVerb } from '../../../../cli/contract.ts';

/** Help text of this plugin's verb. */
export const artifactPutHelp = {
  verb: 'artifact put',
  usage: 'svc artifact put <folder>|<file> [--as <path>]',
  brief: 'store files as artifacts of the run',
  summary:
    "Stores a folder's files, or one file, as the run's artifacts and prints their paths. Each call stores them once, even if the script replays. All files become visible together. The paths start with the folder's name, or with the value of --as (. for none).",
  args: [{ name: 'folder', summary: 'a folder, or one file' }],
  flags: {
    as: { type: 'string', value: '<path>', summary: 'the start of the paths; for a file, its whole path' },
  },
  exits: [
    ['0', 'the paths are on standard output'],
    ['1', 'a file cannot be used, or cannot be stored'],
  ],
  recorded: 'The paths. The files appear together with the record, and a later pass reads no files.',
  examples: [['svc artifact put dist', 'stores dist/index.html and all other files']],
} as const satisfies ScriptVerb;

export const verbs = [artifactPutHelp];
