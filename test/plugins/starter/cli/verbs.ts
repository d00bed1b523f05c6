import type { ScriptVerb } from 'svc/cli';

export const verbs: readonly ScriptVerb[] = [
  {
    verb: 'starter-count',
    usage: 'svc starter-count <name>',
    summary: 'Counts one more, once, however often the run is replayed, and prints how many there are.',
  },
];
