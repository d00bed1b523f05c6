import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { clone } from '../../features/support/target.ts';
import { needs } from '../kit/needs.ts';
import { onlyLong } from '../support/length.ts';

const read = (path: string) => readFileSync(join(clone, path), 'utf8');
const namesIn = (text: string) =>
  new Set([...text.matchAll(/\bSVC_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)/g)].map(([name]) => name));

/** Names in the code that nobody sets for a process. */
const NO_SETTINGS: Readonly<Record<string, string>> = {
  SVC_ACTIVITY_ID: 'told to scripts',
  SVC_AGENT_ID: 'told to scripts',
  SVC_AGENT_PID: 'told to scripts',
  SVC_AGENT_SOCKET: 'told to scripts',
  SVC_IDEMPOTENCY_KEY: 'told to steps',
  SVC_INPUT_FILE: 'told to scripts',
  SVC_OUTPUT: 'told to steps of pipelines',
  SVC_TRACE: 'told to scripts',
  SVC_WORKFLOW_ID: 'told to scripts',
  SVC_WORKSPACE: 'told to steps of pipelines',
  SVC_FAILPOINTS: 'for tests',
  SVC_OWN_PROCESS: 'told by commands to their own process',
  SVC_WORKER_FD: 'told to the program of a worker',
  SVC_WORKER_RELOAD: 'told by commands to their own process',
};

/** How the code reads a setting: a member of an environment, or its name as a text. */
const READ = /\benv\??\.(SVC_[A-Z0-9_]+)|'(SVC_[A-Z0-9_]+)'/g;

const sources = globSync('{kernel,plugins,cli}/**/*.{ts,mjs}', { cwd: clone }).filter(
  (path) => !/\.test\.ts$|\.testsuite\.ts$|\/testing\/|\/generated\/|\/web\/|\/dist\//.test(path),
);

t.test('every setting that the code reads is on the page, and the page has no other', async (t) => {
  const texts = sources.map(read);
  const used = new Set(texts.flatMap((text) => [...text.matchAll(READ)].map(([, member, name]) => member ?? name!)));
  const inFiles = /const IN_FILES = \[([\s\S]*?)\]/.exec(read('cli/secret-files.ts'))![1]!;
  for (const name of namesIn(inFiles)) used.add(`${name}_FILE`);
  const page = namesIn(read('docs/configuration.md'));
  t.ok(used.size > 40, `${used.size} names are read`);
  t.same([...used].filter((name) => !page.has(name) && !(name in NO_SETTINGS)).sort(), [], 'not on the page');
  t.same([...page].filter((name) => !used.has(name)).sort(), [], 'on the page, and read by nothing');
  t.same(
    Object.keys(NO_SETTINGS).filter((name) => !used.has(name) && !texts.some((text) => text.includes(name))),
    [],
  );
});

const files = globSync('docs/deploy/*', { cwd: clone }).sort();

t.test('files to deploy with name only settings that there are', async (t) => {
  t.same(
    files.map((path) => path.slice('docs/deploy/'.length)),
    ['Caddyfile', 'Containerfile', 'compose.yaml', 'nginx.conf', 'svc-agent.service', 'svc-server.service'],
  );
  const page = namesIn(read('docs/configuration.md'));
  for (const path of files)
    t.same(
      [...namesIn(read(path))].filter((name) => !page.has(name)),
      [],
      path,
    );
});

t.test('compose.yaml is whole: what services name is there', async (t) => {
  const compose = parse(read('docs/deploy/compose.yaml'), { merge: true });
  const version = JSON.parse(read('package.json')).version;
  const known = (kind: string) => Object.keys(compose[kind]);
  // biome-ignore lint/suspicious/noExplicitAny: a document of somebody else
  for (const [name, service] of Object.entries<Record<string, any>>(compose.services)) {
    for (const secret of service.secrets ?? []) t.ok(known('secrets').includes(secret), `${name}: ${secret}`);
    for (const network of service.networks) t.ok(known('networks').includes(network), `${name}: ${network}`);
    for (const needed of Object.keys(service.depends_on ?? {}).filter((key) => !/^\d+$/.test(key)))
      t.ok(known('services').includes(needed), `${name}: ${needed}`);
    const volumes = (service.volumes ?? [])
      .map((one: string) => one.split(':')[0]!)
      .filter((one: string) => !one.startsWith('.'));
    for (const volume of volumes) t.ok(known('volumes').includes(volume), `${name}: ${volume}`);
    if (String(service.image).startsWith('svc:')) t.equal(service.image, `svc:${version}`);
  }
});

t.test('compose.yaml is valid for Compose', { ...onlyLong, ...needs('docker-compose') }, async (t) => {
  // The schema of the version in Debian is from before names of projects.
  const text = read('docs/deploy/compose.yaml').replace(/^name: .*\n/m, '');
  const { status, stderr } = spawnSync('docker-compose', ['--file', '-', 'config', '--quiet'], {
    ...{ input: text, encoding: 'utf8', cwd: join(clone, 'docs/deploy') },
  });
  t.equal(status, 0, stderr);
});

t.test('each line of the Containerfile is an instruction', async (t) => {
  const lines = read('docs/deploy/Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .trim()
    .split('\n');
  const words = lines.filter((line) => line.trim() !== '').map((line) => line.trim().split(' ')[0]!);
  const known = [
    'ARG',
    'CMD',
    'COPY',
    'ENTRYPOINT',
    'ENV',
    'EXPOSE',
    'FROM',
    'HEALTHCHECK',
    'RUN',
    'STOPSIGNAL',
    'USER',
    'VOLUME',
    'WORKDIR',
  ];
  t.same(
    words.filter((word) => !known.includes(word)),
    [],
  );
  t.ok(lines.includes('USER svc'), 'no root');
});
