import { closeSync, mkdirSync, openSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { contentsOf } from './included.ts';
import { readDocument } from './input.ts';
import { readWorkflow } from './workflow.ts';
import { resolveRoot } from '../plugins/execution/scripts/contract/workflow-root.ts';

/** Somebody else's folder, and what lies beside it. */
function theirs(t: Test, files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(t.testdir({}));
  const all = { 'secret.json': '{"token": "not-for-you"}', 'theirs/lib/own.json': '{"own": 1}', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync('..', join(folder, 'theirs/lnk'));
  symlinkSync('../secret.json', join(folder, 'theirs/entry.sh'));
  symlinkSync('lib', join(folder, 'theirs/inside'));
  return folder;
}

const read = (file: string, flags: Record<string, string | readonly string[]> = {}) =>
  readWorkflow(file, { flags, stdin: Readable.from([]) as unknown as NodeJS.ReadStream });

const outcome = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    (body) => JSON.stringify(body),
    ({ code, message, next }: { code: string; message: string; next: string }) => `${code}: ${message} → ${next}`,
  );

const pipeline = (path: string) => `jobs: { a: { workflow: ${JSON.stringify(path)} } }\n`;

t.test('no file outside of the folder of a workflow is read, whatever names it', async (t) => {
  const script = (imported: string) =>
    `const name = 'secret';\nconst { default: found } = await import(${imported});\n`;
  const ways: readonly (readonly [said: RegExp, files: Record<string, string>, file: string, flags?: object])[] = [
    [/\.\.\/secret\.json/, { 'theirs/ci.yml': pipeline('../secret.json') }, 'ci.yml'],
    [/lnk\/secret\.json/, { 'theirs/ci.yml': pipeline('lnk/secret.json') }, 'ci.yml'],
    [/lnk\/ci\.yml/, { 'theirs/ci.yml': pipeline('lnk/ci.yml'), 'ci.yml': pipeline('./secret.json') }, 'ci.yml'],
    [/job\.mjs:2:41: .*\/secret\.json/, { 'theirs/job.mjs': script("'../secret.json'") }, 'job.mjs'],
    [/job\.mjs:2:41: .*\/secret\.json/, { 'theirs/job.mjs': script("'./lnk/secret.json'") }, 'job.mjs'],
    [/secret\.json/, { 'theirs/job.mjs': script('`../${name}.json`') }, 'job.mjs'],
    [/secret\.json/, { 'theirs/job.mjs': script('`./lnk/${name}.json`') }, 'job.mjs'],
    [
      /lib\/more\.mjs:2:\d+: /,
      { 'theirs/job.mjs': script("'./lib/more.mjs'"), 'theirs/lib/more.mjs': script("'../../secret.json'") },
      'job.mjs',
    ],
    [
      /job\.mjs:2:\d+: /,
      { 'theirs/ci.yml': pipeline('./job.mjs'), 'theirs/job.mjs': script("'../secret.json'") },
      'ci.yml',
    ],
    [/entry\.sh/, {}, 'entry.sh'],
    [/lnk\/secret\.json/, { 'theirs/run.sh': 'true' }, 'run.sh', { include: ['lnk/secret.json'] }],
    [/lnk\/lib/, { 'theirs/run.sh': 'true', 'lib/secret.sh': 'not-for-you' }, 'run.sh', { include: ['lnk/lib'] }],
    [
      /lnk\/secret\.json/,
      { 'theirs/ci.yml': 'jobs: { a: { workflow: ./a.sh, include: [lnk/secret.json] } }', 'theirs/a.sh': 'true' },
      'ci.yml',
    ],
  ];
  for (const [said, files, file, flags] of ways) {
    const folder = theirs(t, files);
    const found = await outcome(read(join(folder, 'theirs', file), { ...flags }));
    t.match(found, /is outside/, `${file} ${said}`);
    t.match(found, said);
    t.match(found, /--root/, 'what to do');
    t.notMatch(found, /not-for-you/);
    const wider = await read(join(folder, 'theirs', file), { ...flags, root: folder });
    const sent = [JSON.stringify(wider), ...[...contentsOf(wider).values()].map(String)].join('');
    t.match(sent, /not-for-you/, 'with --root it is taken');
  }
});

t.test('a workflow outside of the folder of --root is refused before it is read', async (t) => {
  const folder = theirs(t, { 'other/keep.txt': 'x' });
  const rootOf = (chosen: string) => resolveRoot(join(folder, 'theirs/entry.sh'), { chosen, env: {} });
  await t.rejects(rootOf(join(folder, 'other')), { name: 'Error', message: /entry\.sh/ });
  t.equal((await rootOf(folder)).shown_path, folder);
});

t.test('an included folder is sent without the private files in it, and a note names them', async (t) => {
  const folder = theirs(t, {
    'app/lib/.GIT/config': 'not-for-you',
    'app/lib/a.sh': 'true',
    'app/run.sh': 'true',
    'app/ci.yml': 'jobs: { a: { workflow: ./run.sh, include: [lib] } }',
  });
  for (const [file, flags] of [
    ['run.sh', { include: ['lib'] }],
    ['ci.yml', {}],
  ] as const) {
    const notes: string[] = [];
    const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
    const output = { note: (text: string) => void notes.push(text) };
    const body = await readWorkflow(join(folder, 'app', file), { flags, stdin, output });
    t.same([...contentsOf(body).values()].map(String), ['true'], file);
    t.same(notes, ['svc: not included: lib/.GIT is in a folder .git, where git keeps addresses and logins']);
  }
});

t.test('keys of svc and what git keeps are not read, although they are in the folder', async (t) => {
  const folder = theirs(t, {
    'theirs/keys/master.json': '{"key": "not-for-you"}',
    'theirs/.git/config.json': '{"url": "not-for-you"}',
    'theirs/run.sh': 'true',
  });
  symlinkSync('keys', join(folder, 'theirs/other'));
  const { SVC_MASTER_KEY_FILE } = process.env;
  process.env.SVC_MASTER_KEY_FILE = join(folder, 'theirs/keys/master.json');
  t.teardown(() => {
    delete process.env.SVC_MASTER_KEY_FILE;
    if (SVC_MASTER_KEY_FILE !== undefined) process.env.SVC_MASTER_KEY_FILE = SVC_MASTER_KEY_FILE;
  });
  for (const [path, reason] of [
    ['keys/master.json', /is a file of svc \(SVC_MASTER_KEY_FILE\)/],
    ['other/master.json', /is a file of svc \(SVC_MASTER_KEY_FILE\)/],
    ['.git/config.json', /is in a folder \.git, where git keeps addresses and logins/],
  ] as const) {
    const entries: readonly (readonly [file: string, text: string, flags?: object])[] = [
      ['ci.yml', pipeline(`./${path}`)],
      ['ci.yml', `jobs: { a: { workflow: ./run.sh, include: [${path}] } }`],
      ['job.mjs', `import key from './${path}';\nconsole.log(key);\n`],
      ['run.sh', 'true', { include: [path] }],
      ['run.sh', 'true', { include: [path], root: folder }],
    ];
    for (const [file, text, flags] of entries) {
      writeFileSync(join(folder, 'theirs', file), text);
      const found = await outcome(read(join(folder, 'theirs', file), { ...flags }));
      t.match(
        found,
        /^include_outside: .*(?:move the workflow's files to another folder|keys and logins are never included)/,
        `${file}: ${text}`,
      );
      t.match(found, reason);
      t.notMatch(found, /not-for-you/);
    }
    writeFileSync(
      join(folder, 'theirs/job.mjs'),
      `const name = 'x';\nawait import(\`./${dirname(path)}/\${name}.json\`);\n`,
    );
    const bundled = await outcome(read(join(folder, 'theirs/job.mjs')));
    t.match(bundled, /it is not included/, 'a pattern matches it: the bundle has an error in its place');
    t.notMatch(bundled, /not-for-you/);
  }
});

t.test('what belongs to a process is read when the command line names it, and never when a file does', async (t) => {
  const skip = process.platform !== 'linux';
  for (const named of [
    '/proc/self/environ',
    '/proc/self/cwd/package.json',
    '/proc/self/root/etc/hostname',
    '/dev/null',
  ]) {
    const folder = theirs(t, { 'theirs/ci.yml': pipeline(named) });
    t.match(await outcome(read(join(folder, 'theirs/ci.yml'))), /^include_outside: .* is outside/, named, {
      skip,
    });
  }
  const folder = theirs(t, { 'theirs/run.sh': 'echo own' });
  const file = openSync(join(folder, 'theirs/run.sh'), 'r');
  t.teardown(() => closeSync(file));
  t.match(await outcome(read(`/dev/fd/${file}`, { as: 'script' })), /echo own/, 'as a shell hands over <(command)');
});

t.test('an absolute path is taken below the folder, and refused above it', async (t) => {
  const folder = theirs(t, {});
  writeFileSync(join(folder, 'theirs/ci.yml'), pipeline(join(folder, 'theirs/lib/own.json')));
  t.match(await outcome(read(join(folder, 'theirs/ci.yml'))), /files: .*own\.json/);
  writeFileSync(join(folder, 'theirs/ci.yml'), pipeline(join(folder, 'secret.json')));
  t.match(await outcome(read(join(folder, 'theirs/ci.yml'))), /^include_outside: .*secret\.json is outside/);
});

t.test('a document that is a link to elsewhere, of a command without --root', async (t) => {
  const folder = theirs(t, {});
  symlinkSync('lib/own.json', join(folder, 'theirs/linked.json'));
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  t.match(await readDocument(join(folder, 'theirs/linked.json'), { stdin }), { source: '{"own": 1}' });
  await t.rejects(readDocument(join(folder, 'theirs/entry.sh'), { stdin }), {
    code: 'include_outside',
    next: /use the file itself/,
  });
});

t.test('links within the folder are followed', async (t) => {
  const folder = theirs(t, { 'theirs/job.mjs': "import own from './inside/own.json';\nconsole.log(own);\n" });
  t.match(await outcome(read(join(folder, 'theirs/job.mjs'), { include: ['inside'] })), /own: 1|own:1/);
});

t.test('a root that does not hold the workflow, and one that is none', async (t) => {
  const folder = theirs(t, { 'theirs/run.sh': 'true', 'other/a.sh': '' });
  const file = join(folder, 'theirs/run.sh');
  t.match(await outcome(read(file, { root: join(folder, 'other') })), /run\.sh is outside .*other/);
  t.match(await outcome(read(file, { root: join(folder, 'none') })), /^usage: .*none.*there is no such folder/);
  t.match(await outcome(read(file, { root: join(folder, 'secret.json') })), /^usage: .*is not a folder/);
});

t.test('packages are found above the folder by their names, and nothing else is', async (t) => {
  const packages = {
    'node_modules/shout/package.json': '{"name": "shout", "main": "main.js"}',
    'node_modules/shout/main.js': "exports.shout = (text) => text + '!';\n",
    'node_modules/.hidden/a.json': '{"token": "not-for-you"}',
  };
  const told = async (source: string) => {
    const folder = theirs(t, { ...packages, 'theirs/job.mjs': source });
    symlinkSync(folder, join(folder, 'node_modules/linked'));
    symlinkSync(folder, join(folder, 'theirs/node_modules'));
    return await outcome(read(join(folder, 'theirs/job.mjs')));
  };
  t.match(await told("import { shout } from 'shout';\nconsole.log(shout('a'));\n"), /exports\.shout/);
  for (const [imported, what] of [
    ['../node_modules/shout/main.js', 'by its path'],
    ['linked/secret.json', 'a package that is a link to elsewhere'],
    ['theirs/../secret.json', 'in a folder of packages that is a link'],
    ['secret.json', 'a file of such a folder'],
    ['shout/../.hidden/a.json', 'through a package'],
    ['shout/../../secret.json', 'out of the packages'],
    ['.hidden/a.json', 'what is no package'],
  ]) {
    const found = await told(`import found from '${imported}';\nconsole.log(found);\n`);
    t.match(found, /^include_outside: job\.mjs:1:\d+: .*is outside/, `${imported}: ${what}`);
    t.notMatch(found, /not-for-you/);
  }
});

t.test('the map of a file is not looked for outside', async (t) => {
  const map = { version: 3, sources: ['x.ts'], sourcesContent: ['not-for-you'], names: [], mappings: 'AAAA' };
  const folder = theirs(t, {
    'built.js.map': JSON.stringify(map),
    'theirs/job.mjs': "import a from './a.mjs';\nconsole.log(a);\n",
    'theirs/a.mjs': 'export default 1;\n//# sourceMappingURL=../built.js.map\n',
  });
  const { source } = await read(join(folder, 'theirs/job.mjs'));
  const text = String(source);
  t.notMatch(text + Buffer.from(text.split('base64,').at(-1)!, 'base64').toString(), /not-for-you/);
});
