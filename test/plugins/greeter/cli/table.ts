import { type Command, NAME } from 'svc/cli';

export const commands: readonly Command[] = [
  {
    name: 'greet-somebody',
    summary: 'say hello, and how often runs have greeted them',
    args: [NAME],
    examples: [['svc greet-somebody ana', 'Hello ana']],
    load: () => import('./greet-somebody.ts'),
  },
];
