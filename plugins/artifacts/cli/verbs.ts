/** The help of this plugin's verb. */
export const artifactPutHelp = {
  verb: 'artifact put',
  usage: 'svc artifact put <folder>|<file> [--as <path>]',
  summary:
    'Stores the files of a folder, or one file, as artifacts of the run, once for this call of the script, and prints their paths. They appear together. The paths begin with the name of the folder, or with --as (. for none).',
};

export const verbs = [artifactPutHelp];
