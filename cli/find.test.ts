import t from 'tap';
import type { CliError } from './errors.ts';
import { findCommand } from './find.ts';
import { loadCommands, loadVerbs } from './tables.ts';

const commands = await loadCommands({});
const find = (argv: readonly string[]) => findCommand(argv, commands, () => loadVerbs({}));

const helpOf = async (...argv: string[]): Promise<string> => {
  const found = await find(argv);
  if (!('help' in found)) throw new Error(`${argv.join(' ')} is a command`);
  return found.help;
};

t.test('a command is found by its longest name', async (t) => {
  for (const command of commands) {
    const words = command.name.split(' ');
    t.match(await find([...words, 'rest']), { command: { name: command.name }, rest: ['rest'] });
    t.ok((await helpOf(...words, '--help')).startsWith(command.summary), command.name);
    t.equal(await helpOf('help', ...words), await helpOf(...words, '-h'));
  }
});

t.test('names are unique, and every command is listed once', async (t) => {
  t.equal(new Set(commands.map(({ name }) => name)).size, commands.length);
  const overview = await helpOf('help', 'all');
  t.equal(await helpOf('--help'), overview);
  for (const { name, summary } of commands) {
    const rows = overview.split('\n').filter((line) => line.trim().startsWith(name) && line.endsWith(`  ${summary}`));
    t.equal(rows.length, 1, name);
  }
});

t.test('a group without its second word explains itself', async (t) => {
  const help = await helpOf('token');
  t.match(help, /svc token create/);
  t.notMatch(help, /svc org/);
  t.equal(await helpOf('token', '--help'), help);
  t.equal(await helpOf('help', 'token'), help);
});

t.test('ls and list, rm and delete are one', async (t) => {
  for (const [said, name] of [
    ['runs list', 'runs ls'],
    ['token delete', 'token rm'],
    ['secret list', 'secret ls'],
    ['account list', 'account ls'],
  ] as const) {
    t.match(await find([...said.split(' '), 'x']), { command: { name }, rest: ['x'] }, said);
    t.equal(await helpOf('help', ...said.split(' ')), await helpOf('help', ...name.split(' ')));
  }
});

t.test('svc alone is a start, and not the list of everything', async (t) => {
  const start = await helpOf();
  t.ok(start.split('\n').length < 15);
  for (const [, name = ''] of start.matchAll(/^ {2}svc ([a-z]+(?: ls)?)/gm))
    t.ok(
      commands.some((one) => one.name === name),
      name,
    );
});

t.test('svc help is a screen, and its topics have every command', async (t) => {
  const guide = await helpOf('help');
  t.ok(guide.split('\n').length <= 26, 'a screen');
  for (const line of guide.split('\n')) t.ok(line.length <= 110, line);
  for (const [, words = ''] of guide.matchAll(/svc ([a-z]+(?: [a-z]+)?)(?= |$)/gm))
    if (!words.startsWith('help') && words !== 'errors')
      t.ok(
        commands.some(({ name }) => words === name || words.startsWith(`${name} `)),
        words,
      );
  const [, topics = ''] = /svc help (.*all)$/m.exec(guide) ?? [];
  const listed = await Promise.all(topics.split(' | ').map((topic) => helpOf('help', topic)));
  const text = listed.slice(0, -1).join('\n');
  for (const { name } of commands) t.match(text, `\n  ${name} `, name);
});

t.test('--help after -- belongs to the command', async (t) => {
  t.match(await find(['run', '--', '--help']), { rest: ['--', '--help'] });
});

t.test('an unknown name is refused with the nearest ones', async (t) => {
  const cases: [string[], RegExp, RegExp][] = [
    [['sumbit'], /unknown command "sumbit"/, /did you mean `svc submit`\?/],
    [['token', 'rn', 'x'], /unknown command "token rn"/, /`svc token rm`/],
    [['runs', 'lst'], /unknown command "runs lst"/, /svc runs ls/],
    [['version'], /unknown command "version"/, /`svc --version` prints it/],
    [['completely-different'], /unknown command/, /`svc help all` lists all commands/],
    [['--verbose'], /unknown command "--verbose"/, /svc help all/],
    [['--json', 'runs', 'ls'], /--json belongs after the command/, /flags come after it/],
    [['event', 'ls'], /unknown command "event"/, /did you mean `svc events ls`\?/],
    [['tokne'], /unknown command "tokne"/, /did you mean `svc token`/],
    [['stpe'], /unknown command "stpe"/, /did you mean `svc step`\?/],
    [['rnus'], /unknown command "rnus"/, /did you mean `svc runs`\?/],
    [['evnet'], /unknown command "evnet"/, /did you mean `svc events`\?/],
    [['handler', 'craete'], /unknown command "handler craete"/, /did you mean `svc handler set`\?/],
    [['token', 'craete'], /unknown command "token craete"/, /did you mean `svc token create`\?/],
    [['secret', 'remove'], /unknown command "secret remove"/, /did you mean `svc secret rm`\?/],
    [['graph', 'set'], /unknown command "graph set"/, /did you mean `svc graph save`\?/],
    [['runs', 'elephant'], /unknown command "runs elephant"/, /`svc runs` lists its commands/],
    [['wait-singal'], /unknown command/, /did you mean `svc wait-signal`\?/],
  ];
  for (const [argv, message, next] of cases) {
    const error = await find(argv).then(
      () => undefined,
      (refused: CliError) => refused,
    );
    t.match(error, { exit: 2, code: 'usage', message, next }, argv.join(' '));
  }
});

t.test('a verb of scripts says where it works, and explains itself', async (t) => {
  const nouns = new Set(commands.map(({ name }) => name.split(' ')[0]!));
  for (const { verb, usage } of (await loadVerbs({})).filter((one) => !nouns.has(one.verb.split(' ')[0]!))) {
    t.ok((await helpOf(verb, '--help')).startsWith(`usage: ${usage}\n`), verb);
    t.match(await helpOf('help', verb), 'svc submit <file>');
    const refused = await find([verb, 'x', '--', '--help']).catch((error: CliError) => error);
    const says = `SVC_AGENT_SOCKET is not set: \`svc ${verb}\` works only in a script run`;
    t.match(refused, { exit: 1, message: says, next: /svc run <file>/ });
  }
});

t.test('what is a command and a verb explains both', async (t) => {
  for (const asked of ['emit', 'artifact put', 'call node', 'state', 'artifact']) {
    const help = await helpOf('help', ...asked.split(' '));
    t.match(help, /\n\nIn a script: svc (emit|artifact put|call|state)\n\nusage: svc/, asked);
    t.match(help, '\nWhat is recorded\n');
  }
  t.notMatch(await helpOf('help', 'status'), 'In a script');
  t.match(
    await helpOf('help', 'cache', 'restore'),
    /^usage: svc cache restore <key>/,
    'a verb among the commands of a group',
  );
  await t.rejects(find(['cache', 'save', 'k', 'p']), {
    exit: 1,
    message: /`svc cache save` works only in a script run/,
  });
  await t.rejects(find(['state', 'set', 'a', '1']), { exit: 1, message: /`svc state` works only in a script run/ });
  await t.rejects(find(['state', 'gte']), { exit: 2, message: /unknown command "state gte"/ });
});

t.test('the overview has the verbs, and their manuals have all parts', async (t) => {
  const overview = await helpOf('help', 'all');
  t.equal(await helpOf('--help'), overview);
  for (const { verb, brief = '?' } of await loadVerbs({})) t.match(overview, `  ${brief}\n`, verb);
  const step = await helpOf('help', 'step');
  for (const title of ['Arguments', 'Flags', 'Exit codes', 'What is recorded', 'Examples'])
    t.match(step, new RegExp(`^${title}\n  \\S`, 'm'));
  t.match(step, /--retry <attempts> +run the command/);
  for (const line of step.split('\n').slice(1)) t.ok(line.length <= 140, line);
});
