import t from 'tap';
import type { Command } from './command.ts';
import type { CliError } from './errors.ts';
import { flagsOf } from './flags.ts';
import { parse } from './parse.ts';
import { loadCommands } from './tables.ts';

const commands = await loadCommands({});

const command: Command = {
  name: 'try',
  summary: 'a command to try',
  args: [
    { name: 'file', summary: 'first' },
    { name: 'other', summary: 'second', optional: true },
  ],
  flags: {
    follow: { type: 'boolean', short: 'f', summary: 'stay' },
    tag: { type: 'string', short: 't', many: true, summary: 'tags' },
    'dry-run': { type: 'boolean', summary: 'two words' },
    reason: { type: 'string', summary: 'text' },
    limit: { type: 'number', least: 1, most: 200, summary: 'number' },
    colour: { type: 'string', choices: ['red', 'blue'], summary: 'choice' },
  },
  examples: [],
  load: async () => ({ run: async () => undefined }),
};

const refusal = (argv: readonly string[], of = command): CliError => {
  try {
    parse(of, argv);
  } catch (error) {
    return error as CliError;
  }
  throw new Error(`${argv.join(' ')} was taken`);
};

t.test('flags come in every way that people write them', async (t) => {
  const { args, flags } = parse(command, ['-f', 'a.sh', '--tag', 'x', '-t', 'y', '--tag=z=1', '--limit=5']);
  t.same(args, ['a.sh']);
  t.match(flags, { follow: true, tag: ['x', 'y', 'z=1'], limit: 5, dryRun: false, json: false });
  t.equal(flags.reason, undefined);
});

t.test('values are kept as they were written', async (t) => {
  for (const value of ['007', '1e3', 'true', '', '-', '-5', '--tag', 'a=b', ' padded ', 'zwölf', '{"a":1}'])
    t.equal(parse(command, ['a.sh', '--reason', value]).flags.reason, value, JSON.stringify(value));
  t.equal(parse(command, ['a.sh', '--reason=']).flags.reason, '');
  t.same(parse(command, ['007', '1e3']).args, ['007', '1e3']);
  t.same(parse(command, ['-']).args, ['-'], 'standard input is no flag');
});

t.test('after -- nothing is a flag', async (t) => {
  const { args, flags } = parse(command, ['--', '--follow', '-f']);
  t.same(args, ['--follow', '-f']);
  t.equal(flags.follow, false);
});

t.test('words after -- belong to a command that has words, once it has its arguments', async (t) => {
  const worded: Command = { ...command, words: { name: 'argument', summary: 'arguments for the script' } };
  const one = { ...worded, args: [{ name: 'file', summary: 'first' }] };
  t.match(parse(one, ['a.sh', '-f', '--', '-x', '', '--', 'y']), { args: ['a.sh'], words: ['-x', '', '--', 'y'] });
  t.match(parse(one, ['--', '-a.sh', 'x']), { args: ['-a.sh'], words: ['x'] });
  t.match(parse(one, ['a.sh']), { args: ['a.sh'], words: [] });
  t.match(refusal(['a.sh', 'b'], one), { message: /"b" is an extra argument/, next: /after --/ });
});

t.test('pairs that follow a flag of pairs belong to it', async (t) => {
  const paired = {
    ...command,
    flags: { input: { type: 'string', many: true, pairs: true, summary: 'pairs' } },
  } as const;
  const inputs = (argv: readonly string[]) => parse(paired, argv);
  t.match(inputs(['--input', 'a=1', 'b:=2', 'x.sh']), { args: ['x.sh'], flags: { input: ['a=1', 'b:=2'] } });
  t.match(inputs(['--input=\n{"a":"="}', 'b=2']), { args: ['b=2'], flags: { input: ['\n{"a":"="}'] } });
  t.match(inputs(['--input={"a":"="}', 'b=2']), { args: ['b=2'], flags: { input: ['{"a":"="}'] } });
  t.match(inputs(['--input', 'a=1', '--', 'b=2']), { args: ['b=2'], flags: { input: ['a=1'] } });
});

t.test('what cannot be meant is refused with the usage of the command', async (t) => {
  const cases: [readonly string[], RegExp][] = [
    [['a.sh', '--folow'], /unknown flag --folow/],
    [['a.sh', '-x'], /unknown flag -x/],
    [['a.sh', '-ft'], /unknown flag -ft/],
    [['a.sh', '--no-follow'], /unknown flag --no-follow/],
    [['a.sh', '--follow=yes'], /--follow takes no value/],
    [['a.sh', '--reason'], /--reason needs a value/],
    [['a.sh', '--reason', '--'], /--reason needs a value/],
    [['a.sh', '--reason', 'a', '--reason', 'b'], /--reason is set twice, but takes only one value/],
    [['a.sh', '--limit', '1', '--limit=1'], /--limit is set twice/],
    [['a.sh', '--limit', '0'], /it must be a whole number from 1 to 200/],
    [['a.sh', '--limit', '201'], /whole number/],
    [['a.sh', '--limit', '1.5'], /whole number/],
    [['a.sh', '--limit', 'NaN'], /whole number/],
    [['a.sh', '--colour', 'green'], /it must be one of red, blue/],
    [[], /<file> is missing: first/],
    [[''], /<file> is empty: first/],
    [['a.sh', ''], /<other> is empty/],
    [['a', 'b', 'c'], /"c" is an extra argument/],
  ];
  for (const [argv, message] of cases) {
    const error = refusal(argv);
    t.match(error, { exit: 2, code: 'usage', message, next: /usage: svc try <file> \[<other>\] \[flags\]/ });
  }
});

t.test('an unknown flag is refused with the one that is most similar', async (t) => {
  const next = (line: string): string => {
    const [name = '', ...argv] = line.split(' ');
    const found = commands.find((one) => one.name === name)!;
    try {
      parse(found, argv, commands);
    } catch (error) {
      return (error as CliError).next;
    }
    throw new Error(`${line} is accepted`);
  };
  t.match(next('submit a.sh --fllow'), /^did you mean --follow\? see `svc help submit`/);
  t.match(next('emit a --paylaod 1'), /^did you mean --payload\?/);
  t.match(next('run a.sh --jsno'), /^did you mean --json\?/, 'one of every command');
  t.match(next('run a.sh --fllow'), /^did you mean `svc submit --follow`\?/, 'one of another command of the group');
  t.match(next('submit a.sh --idem key'), /^did you mean --idempotency-key\?/, 'one that begins with it');
  t.match(next('run a.sh --elephant'), /^see `svc help run`/);
  t.match(next('run a.sh -x'), /^see `svc help run`/);
});

t.test('a flag that is only there may be there twice', async (t) => {
  t.equal(parse(command, ['a.sh', '--follow', '--follow']).flags.follow, true);
});

t.test('every command takes each of its flags, and refuses it without its value', async (t) => {
  for (const one of commands) {
    const args = (one.args ?? []).filter(({ optional }) => !optional).map(({ name }) => name);
    for (const [name, flag] of Object.entries(flagsOf(one))) {
      if (flag.type === 'boolean') {
        t.doesNotThrow(() => parse(one, [...args, `--${name}`]), `${one.name} --${name}`);
        continue;
      }
      const value = flag.type === 'number' ? String(flag.least ?? 0) : (flag.choices?.[0] ?? 'v');
      t.doesNotThrow(() => parse(one, [...args, `--${name}`, value]), `${one.name} --${name} ${value}`);
      t.match(refusal([...args, `--${name}`], one).message, `--${name} needs a value`);
    }
  }
});

t.test('a flag whose name begins with no- is a flag like any other', async (t) => {
  const dev = commands.find(({ name }) => name === 'dev')!;
  t.equal(parse(dev, ['--no-agent']).flags.noAgent, true);
  t.equal(parse(dev, []).flags.noAgent, false);
  t.equal(parse(dev, ['--no-agent', '--port', '0']).flags.port, 0);
});

t.test('quotes are a part of what was given', async (t) => {
  const emit = commands.find(({ name }) => name === 'emit')!;
  for (const text of ['"text"', "'text'", '""', '"', "''", '"a', 'a"', '""a""', '{"a":"b"}', '"a" "b"', '"\'"']) {
    t.equal(parse(emit, ['go', '--payload', text]).flags.payload, text, text);
    t.equal(parse(emit, ['go', `--payload=${text}`]).flags.payload, text, text);
    t.same(parse(emit, [text]).args, [text], text);
  }
});
