import t from 'tap';
import { loadCommands, loadVerbs } from '../tables.ts';
import { joinAssignments, parseTarget } from './target.ts';

const commands = await loadCommands({});
const verbs = await loadVerbs({});
const at = (...words: string[]) => parseTarget(joinAssignments(words), commands, verbs);

t.test('words of commands and verbs, of help too', async (t) => {
  const wordsAt = (...words: string[]) => {
    const place = at(...words);
    return place.kind === 'words' ? place.words : place.kind;
  };
  const first = wordsAt('');
  t.ok(['runs', 'submit', 'step', 'help'].every((word) => first.includes(word)));
  t.equal(new Set(first).size, first.length);
  t.ok(['chain', 'diff', 'ls'].every((word) => wordsAt('runs', '').includes(word)));
  t.same(wordsAt('help', 'runs', ''), wordsAt('runs', ''));
  t.same(wordsAt('nothing', 'x', ''), []);
  t.same(wordsAt('whoami', ''), [], 'it takes no argument');
  t.equal(wordsAt('step', 'a', '--', ''), 'files', 'a command behind --');
});

t.test('flags, and the values of flags in each way to write them', async (t) => {
  t.match(at('runs', 'ls', '--st'), { kind: 'flags', typed: '--st', flags: { status: {}, json: {} } });
  t.match(at('step', '--re'), { kind: 'flags', flags: { retry: {} } });
  for (const words of [['--status', 'fa'], ['--status=fa'], ['--status', '=', 'fa']])
    t.match(at('runs', 'ls', ...words), { kind: 'value', typed: 'fa', value: { flag: 'status' } }, words.join(' '));
  t.match(at('runs', 'ls', '--status', '='), { kind: 'value', typed: '', value: { flag: 'status' } });
  t.match(at('artifact', 'get', '@last', '-o', 'x'), { kind: 'value', typed: 'x', value: { flag: 'output' } });
  t.same(at('runs', 'ls', '--lost', '=', 'x'), { kind: 'words', typed: 'x', words: [] });
});

t.test('arguments, with what stands before them', async (t) => {
  t.match(at('status', ''), { kind: 'value', value: { name: 'run-id', run: true }, parsed: { args: [] } });
  t.match(at('artifact', 'rm', '@last', '--json', '--project', 'web', 'd'), {
    ...{ kind: 'value', typed: 'd', value: { name: 'path' } },
    parsed: { args: ['@last'], flags: { project: 'web' } },
  });
  t.match(at('check', 'a.sh', 'b'), { kind: 'value', value: { name: 'file', rest: true } });
  t.match(at('token', 'delete', ''), { kind: 'value', command: { name: 'token rm' } }, 'the other word for it');
});
