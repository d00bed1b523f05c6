import { type Command, NAME } from 'svc/cli';

/** Read at every start of svc: it holds data, and `load` brings the code. */
export const commands: readonly Command[] = [
  {
    name: 'starter show',
    summary: 'show how many of it runs have counted',
    args: [NAME],
    examples: [['svc starter show apples', 'apples: 3']],
    load: () => import('./show.ts'),
  },
];
