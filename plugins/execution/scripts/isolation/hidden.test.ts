import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import t, { type Test } from 'tap';
import { createMountPolicy, planArguments } from './plan.ts';

const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');
const names = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([name]) => name))];

/** All settings that there are: a test of the page holds it to what the code reads. */
const SETTINGS = [
  ...names(page('configuration'), /\bSVC_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)/g),
  ...names(page('tracing'), /\bOTEL_[A-Z]+(?:_[A-Z]+)*\b/g),
  ...['OTEL_EXPORTER_OTLP_CLIENT_KEY', 'OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE'],
];
/** Settings that name what isolated programs may see. */
const SEEN = ['SVC_AGENT_SHOW', 'SVC_CONNECTORS', 'SVC_PLUGINS'];

const has = (t: Test, hidden: readonly string[], wanted: string[], what = 'hidden') =>
  t.same(
    wanted.filter((path) => !hidden.includes(path)),
    [],
    what,
  );

function open(t: Test) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-hidden-')));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const hidden = (env: Record<string, string>, more = {}) =>
    createMountPolicy({
      env: { HOME: '/nowhere', ...env },
      node: process.execPath,
      extra: [folder],
      home: '/nowhere/.svc',
      ...more,
    }).hidden;
  return { folder, hidden };
}

t.test('a file that a setting names is hidden, whichever setting it is and however it names it', async (t) => {
  const { folder, hidden } = open(t);
  const file = join(folder, 'a file');
  const plain = join(folder, 'file');
  for (const path of [file, plain]) writeFileSync(path, 'x');
  mkdirSync(join(folder, 'links'));
  symlinkSync(plain, join(folder, 'links/link'));
  t.ok(SETTINGS.length > 60, `${SETTINGS.length} settings`);
  const ways: Record<string, [value: string, file: string]> = {
    'as its path': [file, file],
    'by a link': [join(folder, 'links/link'), plain],
    'as a relative path': [relative(process.cwd(), plain), plain],
    'as an argument': [`@${file}`, file],
    'as a relative argument': [`@${relative(process.cwd(), plain)}`, plain],
    'as a database': [`sqlite:${file}`, file],
    'as a database with slashes': [`sqlite://${file}`, file],
    'as a socket': [`unix:${plain}`, plain],
    'in a list': [`/nothing,${plain}`, plain],
    'in JSON': [JSON.stringify([{ client_secret: `@${file}` }]), file],
  };
  for (const name of SETTINGS)
    for (const [way, [value, path]] of Object.entries(ways))
      if (hidden({ [name]: value }).includes(path) === SEEN.includes(name)) t.fail(`${name} ${way}`);
  t.same(
    SEEN.filter((name) => !SETTINGS.includes(name)),
    [],
    'there is each of them',
  );
});

t.test('so is what belongs to it, and what will be there later', async (t) => {
  const { folder, hidden } = open(t);
  const at = (...names: string[]) => names.map((name) => join(folder, name));
  has(
    t,
    hidden({ SVC_DATABASE_URL: `sqlite:${folder}/own.db` }),
    at('own.db', 'own.db-wal', 'own.db-shm', 'own.db-journal', 'artifacts'),
  );
  has(t, hidden({ SVC_MASTER_KEY_FILE: `${folder}/later` }), at('later'));
  has(t, hidden({ XDG_CONFIG_HOME: folder }), at('svc'), 'profiles');
  has(t, hidden({ HOME: folder }), at('.config/svc'), 'profiles');
  has(t, hidden({}, { home: join(folder, '.svc') }), at('.svc'));
  has(t, hidden({ CREDENTIALS_DIRECTORY: folder }), [folder], 'credentials of systemd');
  has(t, hidden({ SVC_AGENT_WORKDIR: join(folder, 'a/b') }), at('.svc', 'a/.svc', 'a/b/.svc', 'a/b'));
  t.ok(hidden({}).includes('/etc/svc'), 'where the files to deploy with keep keys');
  writeFileSync(join(folder, 'providers.json'), JSON.stringify([{ client_secret: `@${folder}/secret` }]));
  writeFileSync(join(folder, 'secret'), 'x');
  const providers = hidden({ SVC_CONNECTED_ACCOUNT_PROVIDERS: `@${folder}/providers.json` });
  has(t, providers, at('providers.json', 'secret'));
});

t.test('no setting that holds a secret is taken for a path: what is hidden stands in arguments', async (t) => {
  const { hidden } = open(t);
  const value = 'dlJ8EmSfaRwRwHCsAvO0Q0MtJ+J5/zbdFy0JbTxDIIk=';
  const told = SETTINGS.filter((name) => !name.endsWith('_FILE') && !name.startsWith('OTEL_'))
    .filter((name) => !['SVC_AGENT_WORKDIR', 'SVC_ARTIFACTS'].includes(name))
    .filter((name) => hidden({ [name]: value }).some((path) => path.includes(value)));
  t.same(told, []);
  t.ok(SETTINGS.includes('SVC_MASTER_KEY'));
});

t.test('a link that is turned to a new file hides that one from then on', async (t) => {
  const { folder } = open(t);
  for (const name of ['old', 'new']) writeFileSync(join(folder, name), 'x');
  symlinkSync('old', join(folder, 'key'));
  const env = { HOME: '/nowhere', SVC_MASTER_KEY_FILE: join(folder, 'key') };
  const sight = createMountPolicy({ env, node: process.execPath, extra: [folder], home: '/nowhere/.svc' });
  t.ok(sight.hidden.includes(join(folder, 'old')));
  rmSync(join(folder, 'key'));
  symlinkSync('new', join(folder, 'key'));
  t.ok(sight.hidden.includes(join(folder, 'new')));
});

t.test('a folder shown in a hidden one opens nothing else there', (t) => {
  const { folder } = open(t);
  for (const path of ['.svc/tools', 'svc/tools']) mkdirSync(join(folder, path), { recursive: true });
  const [service, keys] = [join(folder, '.svc'), join(folder, 'svc')];
  const plan = (...extra: string[]) => {
    const env = { HOME: '/nowhere', CREDENTIALS_DIRECTORY: keys, SVC_MASTER_KEY_FILE: `${service}/tools/key` };
    const policy = createMountPolicy({ env, node: process.execPath, extra, home: service });
    has(t, policy.hidden, [service, keys, `${service}/tools/key`]);
    const args = planArguments({
      ...{
        mount_policy: policy,
        root: '/r',
        report: '/p',
        user: undefined,
        network: undefined,
        folder: '/f',
        tools: [],
      },
      ...{ writable: [], tmp: '/t', covers: [], cwd: '/' },
    });
    return args.slice(args.indexOf('/f')).filter((arg) => arg.startsWith(folder));
  };
  const opened = [`${keys}/tools`, `${service}/tools`, `${service}/tools/key`];
  t.same(plan(`${keys}/tools`, `${service}/tools`, folder), [keys, service, ...opened], 'outer folders first');
  t.same(
    plan(folder, `${service}/tools`, `${keys}/tools`),
    [keys, service, ...opened].sort((a, b) => a.length - b.length),
  );
  t.end();
});

t.test('nothing is hidden that programs need', async (t) => {
  const { folder, hidden } = open(t);
  for (const path of ['/', '/usr', '/etc', folder.slice(0, folder.lastIndexOf('/'))])
    t.notOk(hidden({ SVC_ARTIFACTS: path }).includes(path), path);
  const word = 'package.json';
  t.notOk(
    hidden({ SVC_AGENT_NAME: word, SVC_AGENT_CAPS: word }).some((path) => path.endsWith(word)),
    'a word is not a path',
  );
});
