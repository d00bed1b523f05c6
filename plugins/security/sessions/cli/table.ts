import { type Command, inGroup } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = inGroup('Access', [
  {
    name: 'console',
    summary: 'open the console in a browser, signed in',
    description:
      'Creates a link that signs one browser in as you, once, within 5 minutes. On a terminal, xdg-open or open opens the\n' +
      'link if available; otherwise, the link is printed.',
    flags: { print: { type: 'boolean', summary: 'print the link only' } },
    examples: [['svc console --print', 'for a browser on another machine']],
    load: () => import('./console.ts'),
  },
]);
