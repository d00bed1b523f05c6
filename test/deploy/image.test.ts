import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { until } from '../../features/support/process.ts';
import { clone, packageVersion } from '../../features/support/target.ts';
import { fileNeeds } from '../kit/needs.ts';
import { copyOfClone, emptyMachine, pack } from '../package/installed.ts';
import { isLong } from '../support/length.ts';

/**
 * Builds the image of docs/deploy/Containerfile as a user without rights, and starts what is in it. The base image is made
 * here, from packages of Debian and the Node of the clone, because tests reach no registry of images.
 */
if (!isLong) {
  t.plan(0, 'left to npm run test:long');
  process.exit();
}
t.setTimeout(1_200_000);
fileNeeds(t, 'root', 'buildah', 'debootstrap', 'newuidmap', 'git');

const USER = 'svc-image';
const BASE = 'localhost/node:24-bookworm-slim';
const CONTAINER = 'svc-in-test';
const IMAGE = `localhost/svc:${packageVersion}`;
/** With the trust that this machine has in the way to its registries. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const machine = emptyMachine();
const folder = mkdtempSync(join(tmpdir(), 'svc-image-'));
chmodSync(folder, 0o755);

/** What a program prints. Throws when it fails. */
function outputOf(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    timeout: 900_000,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  return stdout;
}

/** A line of a shell, as the user without rights. Containers have the network of the machine. */
const asUser = (line: string): string[] => [
  ...['--login', USER, '--command'],
  `export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot; cd ${folder}; ${line}`,
];
const build = (line: string): string => outputOf('su', asUser(line));

function makeBase(): void {
  const root = join(folder, 'root');
  outputOf('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root]);
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  chmodSync(join(root, 'usr/local/bin/node'), 0o755);
  const npm = dirname(dirname(outputOf('sh', ['-c', 'readlink -f "$(command -v npm)"']).trim()));
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  writeFileSync(
    join(root, 'usr/local/bin/npm'),
    '#!/bin/sh\nexec node /usr/local/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
    { mode: 0o755 },
  );
  copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
  outputOf('tar', ['--create', '--file', join(folder, 'root.tar'), '--directory', root, '.']);
  rmSync(root, { recursive: true });
  build(`c=$(buildah from scratch) && buildah add --quiet $c root.tar / &&
    buildah config --env NODE_EXTRA_CA_CERTS=${CERTIFICATES} $c && buildah commit --quiet --rm $c ${BASE}`);
}

t.before(() => {
  outputOf('useradd', ['--create-home', '--shell', '/bin/bash', USER]);
  const tarball = pack(copyOfClone(machine.folder), machine);
  copyFileSync(tarball, join(folder, 'svc.tgz'));
  copyFileSync(join(clone, 'docs/deploy/Containerfile'), join(folder, 'Containerfile'));
  makeBase();
});
t.teardown(() => {
  spawnSync('su', asUser('buildah rm --all; buildah rmi --all --force'));
  outputOf('userdel', ['--remove', USER]);
  rmSync(folder, { recursive: true, force: true });
  machine.remove();
});

t.test('a user without rights builds the image', async (t) => {
  mkdirSync(join(folder, 'context'));
  for (const name of ['svc.tgz', 'Containerfile']) copyFileSync(join(folder, name), join(folder, 'context', name));
  build(
    `buildah bud --build-arg BASE=${BASE} --build-arg PACKAGE=svc.tgz --tag ${IMAGE} --file context/Containerfile context`,
  );
  const { OCIv1 } = JSON.parse(build(`buildah inspect --type image ${IMAGE}`)) as { OCIv1: { config: Config } };
  t.match(OCIv1.config, { User: 'svc', Entrypoint: ['tini', '--', 'svc'], Cmd: ['serve'] });
});

interface Config {
  User: string;
  Entrypoint: string[];
  Cmd: string[];
}

t.test('it runs without root, with the native programs', async (t) => {
  build(`buildah from --name ${CONTAINER} ${IMAGE}`);
  const run = (line: string) => build(`buildah run ${CONTAINER} -- sh -c '${line}'`);
  t.equal(run('id -u').trim(), '10001');
  t.equal(run('svc --version').trim(), packageVersion);
  const script =
    'cd /tmp; printf "a=\\$(svc step one -- echo first)\\nsvc sleep 10ms\\necho \\$a\\n" > a.sh; svc run a.sh';
  t.match(run(script), /^first$/m);
  t.match(run('svc doctor || true'), /native/i);
});

t.test('its server answers, and ends at a signal', async (t) => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const settings = `SVC_DATABASE_URL=sqlite:/var/lib/svc/svc.db SVC_MASTER_KEY=${key} SVC_HOST=127.0.0.1 SVC_PORT=0`;
  const line = `exec buildah run ${CONTAINER} -- sh -c '${settings} exec tini -- svc serve'`;
  const server = spawn('su', asUser(line), { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = (signal: string) => spawnSync('pkill', [`-${signal}`, '-u', String(containerUser()), 'tini']).status;
  t.teardown(() => stop('KILL'));
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  const url = await until(
    'the server says its address',
    120_000,
    async () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0],
  );
  t.equal((await fetch(`${url}/healthz`)).status, 200);
  const ready = await until('the server is ready', 60_000, async () => (await fetch(`${url}/readyz`)).ok || undefined);
  t.ok(ready);
  t.equal(stop('TERM'), 0, 'the first process gets the signal');
  await ended;
  await t.rejects(fetch(`${url}/healthz`), 'and hands it on');
});

/** The user of this machine that svc in the container is. */
function containerUser(): number {
  const [, first = ''] = new RegExp(`^${USER}:(\\d+):`, 'm').exec(readFileSync('/etc/subuid', 'utf8')) ?? [];
  return Number(first) + 10_000;
}
