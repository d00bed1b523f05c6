import type { ScriptVerb } from 'svc/cli';

export const verbs: readonly ScriptVerb[] = [
  { verb: 'greet', usage: 'svc greet <name>', summary: 'Greets somebody once, however often the run is replayed.' },
];
