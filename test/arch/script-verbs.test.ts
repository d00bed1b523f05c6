import t from 'tap';
import { commands } from '../../cli/commands/index.ts';
import { SCRIPT_VERBS } from '../../cli/script-verbs.ts';
import { verbs } from '../../plugins/scripts/verbs/index.ts';

t.test('the command line knows the verbs of scripts that are none of its own', async (t) => {
  const own = new Set(commands.map(({ name }) => name.split(' ')[0]));
  const others = verbs.filter(({ verb }) => !own.has(verb));
  t.same(Object.fromEntries(others.map(({ verb, usage }) => [verb, usage])), SCRIPT_VERBS);
});
