import { type Api, type Command, listCommand } from '../../../cli/contract.ts';
import { entityPath, STATE_FLAGS } from './state-flags.ts';

/** Project-wide cells. */
export const stateCommands: readonly Command[] = [
  listCommand<Api.CellRecord>({
    name: 'state ls',
    summary: 'list the project-wide cells of an entity',
    flags: STATE_FLAGS,
    examples: [['svc state ls --entity counters', 'keys and values']],
    path: entityPath,
    member: 'cells',
    columns: { key: 'key', value: 'value' },
  }),
  {
    name: 'state get',
    summary: 'print one project-wide cell',
    args: [{ name: 'key', summary: 'the cell' }],
    flags: STATE_FLAGS,
    examples: [['svc state get last-page --entity crawler', 'prints the stored value unchanged']],
    load: () => import('./state-get.ts'),
  },
];
