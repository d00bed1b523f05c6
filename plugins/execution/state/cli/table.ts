import { type Api, type Command, inGroup, listCommand } from '../../../../cli/contract.ts';
import { ENTITY_FLAGS, entityPath } from './entity-flags.ts';

/** State of the project. */
export const commands: readonly Command[] = inGroup('Look', [
  listCommand<Api.CellRecord>({
    name: 'state ls',
    summary: 'list the project-wide state of an entity',
    flags: ENTITY_FLAGS,
    examples: [['svc state ls --entity counters', 'keys and values']],
    path: entityPath,
    member: 'cells',
    columns: { key: 'key', value: 'value' },
  }),
  {
    name: 'state get',
    summary: 'print one value from the project-wide state',
    args: [{ name: 'key', summary: 'the key' }],
    flags: ENTITY_FLAGS,
    examples: [['svc state get last-page --entity crawler', 'prints the stored value unchanged']],
    load: () => import('./get.ts'),
  },
]);
