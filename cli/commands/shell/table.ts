import type { Command } from '../../command.ts';

export const shellCommands: readonly Command[] = [
  {
    name: 'completion',
    summary: 'print a completion script for your shell',
    args: [{ name: 'shell', summary: 'bash, zsh or fish' }],
    flags: {},
    examples: [['source <(svc completion bash)', 'for this session']],
    load: () => import('./completion.ts'),
  },
];
