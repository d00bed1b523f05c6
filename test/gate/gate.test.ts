import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { count } from './count.ts';
import { INSTALL, lacking, needs } from '../kit/needs.ts';
import { ImportGraph } from './imports.ts';
import { lacksOf, table } from './left-out.ts';
import { checks, featureParts, namedParts, SHARE, unitParts } from './parts.ts';
import { ChildTimes, processorTime } from './processor-time.ts';
import { emptyQueue, tellTimings } from './queue.ts';
import { type Choice, chosen, type Scenario, turnOfCommit } from './scenarios.ts';
import { TapCount } from './tap-part.ts';
import { isPure, isServing, storeOfFile, unitFiles } from './unit-files.ts';

// It starts cucumber and git.
t.setTimeout(600_000);

const scenario = (uri: string, name: string, ...tags: string[]): Scenario => ({ uri, name, tags });
const many = Array.from({ length: 400 }, (_, index) =>
  scenario(
    `features/${['verbs', 'events'][index % 2]}/a.feature`,
    `does ${index >> 2}`,
    ...(index < 40 ? ['@store'] : []),
  ),
);
const take = (choice: Choice) => chosen(many, (one) => one, choice);

t.test('a scenario runs on one store, on the other at the next commit, and what SQL decides on both', async (t) => {
  for (const turn of [0, 1]) {
    const [sqlite, mysql] = [take({ store: 'sqlite', turn }), take({ store: 'mysql', turn })];
    const both = sqlite.filter((one) => mysql.includes(one));
    t.same(
      both,
      many.filter(({ tags }) => tags.includes('@store')),
    );
    t.equal(new Set([...sqlite, ...mysql]).size, many.length, 'none is left out');
    t.ok(Math.min(sqlite.length, mysql.length) > many.length / 3, 'about half on each');
    const next = take({ store: 'sqlite', turn: 1 - turn });
    t.same(
      next.filter((one) => sqlite.includes(one)),
      both,
      'two commits show each on each store',
    );
  }
  t.same(take({ store: 'sqlite' }), many, 'all without a turn');
});

t.test('the rows of one table are on both stores', async (t) => {
  const rows = Array.from({ length: 64 }, () => scenario('features/a.feature', 'the same name'));
  const first = chosen(rows, (one) => one, { store: 'sqlite', turn: 0 }).length;
  t.ok(first > 8 && first < 56, `${first} of 64`);
});

t.test('the long run alone holds what takes minutes', async (t) => {
  const all = [scenario('features/a.feature', 'short'), scenario('features/a.feature', 'long', '@long', '@store')];
  const names = (choice: Choice) => chosen(all, (one) => one, choice).map(({ name }) => name);
  t.same(names({ store: 'mysql' }), ['short']);
  t.same(names({ store: 'mysql', long: true }), ['short', 'long']);
  for (const long of [false, true]) {
    const parts = featureParts({
      databases: [{ store: 'sqlite', server_url: '' }],
      long,
      turn: 0,
      cache: '',
      folder: '',
    });
    const choices = parts.map(({ env }) => JSON.parse(env!.SVC_TEST_SCENARIOS!) as Choice);
    t.ok(choices.every((choice) => choice.long === long));
  }
});

t.test('shares, and the part that a standing server is asked for, hold everything once', async (t) => {
  const parts: Choice[] = [
    ...['1/2', '2/2'].map((share): Choice => ({ store: 'sqlite', turn: 0, server: 'standing', share })),
    ...['1/3', '2/3', '3/3'].map((share): Choice => ({ store: 'sqlite', turn: 0, server: 'own', share })),
  ];
  const all = parts.flatMap(take);
  t.equal(all.length, new Set(all).size);
  t.same(new Set(all), new Set(take({ store: 'sqlite', turn: 0 })));
  t.ok(take(parts[0]!).every(({ uri }) => uri.startsWith('features/verbs/')));
  const own = [scenario('features/verbs/b.feature', 'kills it', '@own-server')];
  t.same(
    chosen(own, (one) => one, { store: 'sqlite', server: 'standing' }),
    [],
    'nobody kills a server of others',
  );
});

t.test('cucumber takes the choice from its environment', async (t) => {
  const listed = (env: Record<string, string>) =>
    execFileSync('cucumber-js', ['--dry-run', 'features/verbs/lock.feature', 'features/check/local.feature'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
  const of = (store: string) => {
    const text = listed({ SVC_TEST_SCENARIOS: JSON.stringify({ store, turn: 0 }) });
    return Number(/^(\d+) scenarios/m.exec(text)?.[1] ?? 0);
  };
  const [sqlite, mysql] = [of('sqlite'), of('mysql')];
  t.ok(sqlite > 0 && mysql > 0 && sqlite !== mysql, `${sqlite} and ${mysql}`);
});

t.test('commits take turns, and a merge is one', needs('git'), async (t) => {
  const cwd = t.testdir();
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd, stdio: 'pipe', env: { ...process.env, ...identity } });
  t.equal(turnOfCommit({ GIT_DIR: '/dev/null' }, '/'), 0, 'without git');
  git('init', '-q', '-b', 'main');
  const commit = (text: string) => {
    writeFileSync(join(cwd, text), text);
    git('add', '.');
    git('commit', '-q', '-m', text);
    return turnOfCommit({}, cwd);
  };
  const turns = [commit('one'), commit('two'), commit('three')];
  git('checkout', '-q', '-b', 'side');
  commit('four');
  commit('five');
  git('checkout', '-q', 'main');
  git('merge', '-q', '--no-ff', '-m', 'merged', 'side');
  t.same([...turns, turnOfCommit({}, cwd)], [1, 0, 1, 0]);
  t.equal(turnOfCommit({ SVC_TEST_TURN: '1' }, cwd), 1);
  t.throws(() => turnOfCommit({ SVC_TEST_TURN: '2' }, cwd), /must be 0 or 1/);
});

t.test('where there is one store everything runs on it', async (t) => {
  const wanted = { long: false, turn: 1, cache: '', folder: '' };
  const one = featureParts({ ...wanted, databases: [{ store: 'sqlite', server_url: '' }] });
  t.ok(one.every(({ env }) => !env?.SVC_TEST_SCENARIOS?.includes('turn')));
});

t.test('the longest begins first, and nothing waits while there is a worker', async (t) => {
  const begun: number[] = [];
  let [now, most] = [0, 0];
  const run = async (one: number) => {
    begun.push(one);
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
  };
  const emptied = await emptyQueue([1, 5, 3, 4, 2], { workers: 2, seconds: (one) => one, run });
  t.same(begun, [5, 4, 3, 2, 1]);
  t.equal(most, 2);
  t.match(
    tellTimings(emptied, String),
    /^timings: the 5 slowest of 5 parts\n(.*\n){5} {2}workers waited 0 s for the last: 1$/,
  );
});

t.test('files that share a process are counted apart', async (t) => {
  const told: unknown[] = [];
  const tap = new TapCount((file) => told.push(file));
  tap.write(
    Buffer.from(
      'TAP version 14\nok 1 - a\nnot ok 2 - b\nok 3 - the end of one.test.ts\nok 4 - the end of c\nok 5 - the end of ',
    ),
  );
  tap.write(Buffer.from('two.test.ts\nnot ok 6 - lost\n1..6\n'));
  const totals = tap.end();
  t.same(told, [
    { file: 'one.test.ts', passed: 1, failed: 1 },
    { file: 'two.test.ts', passed: 1, failed: 0 },
  ]);
  t.same(count('tap', 1, '', totals), { passed: 2, failed: 2 });
  t.same(count('tap', 1, '', { files: [], rest: { passed: 3, failed: 0 } }), { passed: 3, failed: 1 }, 'a bad end');
  t.same(count('cucumber', 0, ''), { passed: 0, failed: 1 }, 'no scenario');
});

t.test('what a machine lacks is listed with what to install, and counts as nothing', async (t) => {
  const tap = new TapCount();
  tap.write(
    Buffer.from('TAP version 14\nok 1 - a\nok 2 - b # SKIP needs git\nok 3 - c # SKIP left to npm run test:long\n'),
  );
  tap.write(
    Buffer.from('# Subtest: d\n    ok 1 - e\n    ok 2 - f # SKIP needs cc: no \\# here\n    1..2\nok 4 - d\n1..4\n'),
  );
  const { left_out, ...totals } = tap.end();
  t.same(count('tap', 0, '', totals), { passed: 3, failed: 0 });
  t.same(left_out, [
    { lacks: 'git', why: 'there is no git' },
    { lacks: 'cc', why: 'no # here' },
  ]);
  const whole = new TapCount();
  whole.write(Buffer.from('TAP version 14\n1..0 # needs go, ruby\n'));
  t.same(whole.end().left_out, [{ lacks: 'go, ruby', why: 'there is no go, ruby' }], 'a whole file');
  const said = 'left out: pages (needs chromium)\n    # left out: something else\nis left out: no line of ours\n';
  t.same(lacksOf(said), [
    { lacks: 'chromium', why: 'pages: there is no chromium' },
    { lacks: '-', why: 'something else' },
  ]);
  t.equal(table([]), '', 'nothing is said of nothing');
  const part = 'a.test.ts';
  t.equal(
    table([...left_out, ...left_out.slice(1)].map((lack) => ({ part, ...lack }))),
    [
      'left out: 3 on this machine',
      '  lacks  left out  of         because          install',
      '  cc     2         a.test.ts  no # here        gcc libc6-dev',
      '  git    1         a.test.ts  there is no git  git\n',
    ].join('\n'),
  );
});

t.test('the machine of .ci/run gets all that can be installed', async (t) => {
  const script = readFileSync('.ci/run', 'utf8');
  const packages = Object.values(INSTALL).filter((how) => !how.startsWith('nothing: '));
  for (const name of packages.flatMap((how) => how.split(' '))) t.ok(script.includes(name), name);
});

t.test('a test says what it needs, and is left out where that is missing', async (t) => {
  const PATH = t.testdir({ git: '' });
  const { PATH: own } = process.env;
  t.teardown(() => (process.env.PATH = own));
  process.env.PATH = PATH;
  t.same(needs('git', 'zsh'), { skip: 'needs git, zsh' }, 'a file that is no program does not count');
  chmodSync(join(PATH, 'git'), 0o755);
  t.same(needs('git', 'zsh'), { skip: 'needs zsh' });
  t.same(needs('git'), {});
  t.same(lacking('cc', undefined), {});
  t.same(lacking('cc', false), {});
  t.same(lacking('cc', 'it is broken'), { skip: 'needs cc: it is broken' });
});

t.test('what starts something, or changes what a process shares, has its own', async (t) => {
  const graph = new ImportGraph();
  const files = await unitFiles();
  const pure = files.filter((file) => isPure(file, graph));
  t.ok(pure.length > 50, `${pure.length} of ${files.length}`);
  t.ok(pure.includes('kernel/contracts/bounded-map.test.ts'));
  for (const file of ['plugins/engine/runs/many-waits.test.ts', 'test/gate/gate.test.ts'])
    t.notOk(pure.includes(file), file);
  t.same([...graph.reach('test/kit/until.ts').files], ['test/kit/until.ts']);
});

t.test('files that boot servers of the kit share a process, those that do more to theirs do not', async (t) => {
  const graph = new ImportGraph();
  const serving = {
    'plugins/execution/locks/locks.test.ts': 'it boots servers',
    'plugins/execution/agents/agents.test.ts': 'it starts programs, and waits for their ends',
    'plugins/platform/http/server.test.ts': 'its helper reads the clock for the server',
    'plugins/integrations/requests/sending.test.ts': 'it loads helpers of many tests',
  };
  for (const [file, why] of Object.entries(serving)) t.ok(isServing(file, graph), `${file}: ${why}`);
  const others = {
    'plugins/execution/agents/channel/measured.test.ts': 'it replaces JSON.parse',
    'plugins/events/bus/poison.test.ts': 'it measures how long its process stands still',
    'plugins/platform/retention/retention.test.ts': 'it measures times',
    'plugins/execution/functions/replays.test.ts': 'its helper changes the environment',
    'test/handlers/pacing-kills.test.ts': 'it starts servers as processes of their own',
    'plugins/documents/graphs/check.test.ts': 'it has hooks at the root',
    'test/crash/crash.test.ts': 'it loads other helpers than those of the kit',
  };
  for (const [file, why] of Object.entries(others)) t.notOk(isServing(file, graph), `${file}: ${why}`);

  const databases = (['sqlite', 'mysql'] as const).map((store) => ({ store, server_url: `${store}:` }));
  const wanted = { databases, long: false, turn: 0, cache: '', folder: '' };
  const parts = await unitParts(wanted);
  const held = parts.flatMap(({ name, env }) =>
    env?.SVC_TEST_FILES ? (JSON.parse(env.SVC_TEST_FILES) as string[]) : name,
  );
  t.same(held.sort(), await unitFiles(), 'each is in one part');
  const sharing = parts.filter(({ name }) => name.startsWith(`servers ${SHARE}`));
  t.ok(sharing.length > 3, `${sharing.length} parts`);
  for (const { name, env } of sharing)
    for (const file of JSON.parse(env!.SVC_TEST_FILES!) as string[])
      t.equal(storeOfFile(file, 0), env!.SVC_TEST_STORE, `${file}, in ${name}, is on its store`);
  const apart = await unitParts({ ...wanted, apart: true });
  t.same(apart.map(({ name }) => name).sort(), await unitFiles(), 'who asks for one file gets a process for it');
});

t.test('types are checked in both lengths, in the long one by the compiler of the package too', async (t) => {
  const of = (long: boolean) => checks({ cache: '', long }).map(({ command }) => command.join(' '));
  t.ok(of(false).some((command) => /^oxlint .*--type-check/.test(command)));
  t.equal(of(false).filter((command) => command.startsWith('tsc ')).length, 0);
  t.equal(of(true).filter((command) => command.startsWith('tsc ')).length, 2);
});

t.test('the processor time of a child is told with what it started itself', async (t) => {
  if (processorTime() === undefined) return t.comment('left out: processor time (no /proc)');
  const times = new ChildTimes();
  const spin = 'const end = process.cpuUsage().user + 3e5; while (process.cpuUsage().user < end);';
  const inside = `require('child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(spin)}])`;
  const busy = await times.of(spawn(process.execPath, ['-e', inside]));
  t.ok(busy !== undefined && busy >= 0.25, `${busy} s`);
  const idle = await times.of(spawn('true'));
  t.ok(idle !== undefined && idle < 0.2, `${idle} s, without those of the one before`);
  t.equal(await times.of(spawn('/no/such/program')), undefined);
  return undefined;
});

t.test('a file that loops over the stores runs on one, and on the other at the next commit', async (t) => {
  const files = await unitFiles();
  const of = (turn: number) => files.map((file) => storeOfFile(file, turn));
  const [now, next] = [of(0), of(1)];
  files.forEach((file, index) => {
    if (now[index] === undefined) t.equal(next[index], undefined, file);
    else t.same([now[index], next[index]].sort(), ['mysql', 'sqlite'], file);
  });
  for (const file of [
    'plugins/execution/locks/locks.test.ts',
    'test/conformance/schema.test.ts',
    'plugins/engine/runs/store/claim/queues.test.ts',
  ])
    t.equal(storeOfFile(file, 0), undefined, file);

  const databases = (['sqlite', 'mysql'] as const).map((store) => ({ store, server_url: `${store}:` }));
  const only = (name: string) => (one: string) => one === name;
  const wanted = { long: false, turn: 1, cache: '', folder: '', databases };
  const routes = 'plugins/events/schedules/routes.test.ts';
  t.match(await unitParts(wanted, only(routes)), [{ env: { SVC_TEST_STORE: storeOfFile(routes, 1) } }]);
  for (const [whole, file] of [
    [wanted, 'plugins/execution/locks/locks.test.ts'],
    [{ ...wanted, long: true }, routes],
    [{ ...wanted, databases: databases.slice(0, 1) }, routes],
  ] as const)
    t.equal((await unitParts(whole, only(file)))[0]!.env!.SVC_TEST_STORE, undefined, file);
});

t.test('a name means parts, unit files and feature files, and one that nothing has means nothing', async (t) => {
  const databases = [
    { store: 'sqlite', server_url: '' },
    { store: 'mysql', server_url: 'mysql://root@127.0.0.1' },
  ] as const;
  const wanted = { databases, long: false, turn: 0, cache: '.tap/gate', folder: '/none' };
  const named = (name: string) => namedParts(name, wanted);
  const feature = 'features/access/limits.feature';
  t.match(
    await named(feature),
    ['sqlite', 'mysql'].map((store) => ({
      name: `${feature} on ${store}`,
      command: ['node', 'test/gate/features.ts', store, feature],
      counts: 'cucumber',
    })),
  );
  const alone = await named('plugins/platform/http/body.test.ts');
  t.match(alone, [{ command: ['node', 'plugins/platform/http/body.test.ts'] }]);
  const [shared, ...more] = await named('plugins/platform/schema/exact-json.test.ts');
  t.same(more, []);
  t.match(shared?.env?.SVC_TEST_FILES ?? shared?.command.join(' '), 'plugins/platform/schema/exact-json.test.ts');
  t.same(
    (await named('types-aware')).map(({ name }) => name),
    ['types and types-aware lint'],
  );
  t.ok((await named('features on sqlite')).every(({ name }) => name.startsWith('features on sqlite, share')));
  t.same(await named('no/such.feature'), []);
});
