import t from 'tap';
import { loadCommands } from '../../cli/tables.ts';
import { COMMAND_WORDS } from '../../plugins/execution/scripts/lint/suggestions.ts';

t.test('a check of a script knows the first words of all commands', async (t) => {
  const words = new Set((await loadCommands({})).map(({ name }) => name.split(' ', 1)[0]!));
  t.same([...COMMAND_WORDS].toSorted(), [...words, 'help'].toSorted());
});
