import t from 'tap';
import { loadCommands, loadVerbs } from '../../cli/tables.ts';
import { verbs } from '../../plugins/scripts/executor/testing/plugins.ts';

t.test('the command line knows the verbs of scripts that are none of its own', async (t) => {
  const commands = await loadCommands({});
  const own = new Set(commands.map(({ name }) => name.split(' ')[0]));
  const others = verbs.filter(({ verb }) => !own.has(verb.split(' ')[0]!));
  const byName = (a: { verb: string }, b: { verb: string }) => a.verb.localeCompare(b.verb);
  t.match(
    (await loadVerbs({}, commands)).toSorted(byName),
    others.map(({ verb, usage }) => ({ verb, usage })).sort(byName),
  );
  t.equal((await loadVerbs({}, commands)).length, others.length);
});
