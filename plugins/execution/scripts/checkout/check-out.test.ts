import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { CHECKOUT_VARIABLE } from '../../../engine/runs/contract.ts';
import type { CheckoutWork, StartedProgram } from '../contract.ts';
import { checkOut, type GitContext } from './check-out.ts';
import { gitEnvironment, findPathProblem, findRefProblem } from './git-settings.ts';
import { fileNeeds } from '../../../../test/kit/needs.ts';

fileNeeds(t, 'git');

const root = mkdtempSync(join(tmpdir(), 'svc-checkout-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));

const OWN = {
  PATH: process.env.PATH!,
  HOME: root,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: 'file:http:https:ext',
};
const who = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main'];
const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', [...who, ...args], { cwd, env: OWN, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim();

/** A repository with one commit for each map of files; answers its commits. */
function repository(name: string, ...commits: Record<string, string>[]): { path: string; shas: string[] } {
  const path = join(root, 'repos', name);
  mkdirSync(path, { recursive: true });
  git(path, 'init', '--quiet');
  const shas = commits.map((files) => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    git(path, 'add', '.');
    git(path, 'commit', '--quiet', '--message', 'change');
    return git(path, 'rev-parse', 'HEAD');
  });
  return { path, shas };
}

/** Serves the repositories, and notes what it was asked; `password`: only with that. */
async function served(password?: string) {
  const asked: { url: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    asked.push({ url: request.url!, authorization });
    const wanted = password && `Basic ${Buffer.from(password).toString('base64')}`;
    if (wanted !== undefined && authorization !== wanted) return response.writeHead(401).end();
    const { pathname, search } = new URL(request.url!, 'http://host');
    const child = spawn('git', ['http-backend'], {
      env: {
        ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: join(root, 'repos'), GIT_HTTP_EXPORT_ALL: '1' },
        ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method },
        ...{
          CONTENT_TYPE: request.headers['content-type'],
          HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        },
        GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      for (const line of answer.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
        else response.setHeader(name, value);
      }
      response.end(answer.subarray(end + 4));
    });
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let count = 0;

/** Checks out into a new workspace, and answers that with the arguments of every program. */
async function out(checkout: Partial<CheckoutWork> & { url: string }, credential?: string) {
  const folder = join(root, `place-${count++}`);
  const workspace = join(folder, 'work');
  mkdirSync(workspace, { recursive: true });
  const argv: string[][] = [];
  const place: GitContext = {
    folder,
    env: { PATH: process.env.PATH!, SECRET: 'not for git' },
    assignment: {
      environment: {
        ...{ below: [], workflow: {} },
        above: credential === undefined ? [] : [{ name: CHECKOUT_VARIABLE, value: credential, secret: true }],
      },
    },
    find: async () => 'git',
    start(program): StartedProgram {
      argv.push([...program.argv]);
      const [command = '', ...args] = program.argv;
      const child = spawn(command, args, { env: program.env, cwd: program.cwd, stdio: ['ignore', 'ignore', 'pipe'] });
      let tail = '';
      child.stderr.on('data', (chunk: Buffer) => (tail += chunk.toString()));
      const ended = once(child, 'close').then(([exit_code, signal]) => ({ exit_code, signal, tail }));
      return { ended, stop: () => child.kill() };
    },
  };
  const work: CheckoutWork = { depth: 1, submodules: false, paths: [], ...checkout };
  await checkOut(place, { checkout: work, workspace, onStart: () => undefined, isStopped: () => false });
  return { workspace, argv, read: (file: string) => readFileSync(join(workspace, file), 'utf8') };
}

const site = repository('site', { 'a.txt': 'one', 'lib/x/b.txt': 'b', 'docs/c.txt': 'c' }, { 'a.txt': 'two' });
git(site.path, 'tag', '-a', 'v1', '-m', 'first', site.shas[0]!);
git(site.path, 'branch', 'topic', site.shas[0]!);
const url = `file://${site.path}`;

t.test('a commit, a branch and a tag, with as much history as is asked for', async (t) => {
  const one = await out({ url, sha: site.shas[1]! });
  t.equal(one.read('a.txt'), 'two');
  t.equal(git(one.workspace, 'rev-list', '--count', 'HEAD'), '1');
  t.throws(() => git(one.workspace, 'describe', '--tags'), 'no tag is there');
  t.equal((await out({ url, ref: 'topic' })).read('a.txt'), 'one');
  const tag = await out({ url, ref: 'refs/tags/v1' });
  t.equal(git(tag.workspace, 'describe', '--exact-match'), 'v1');
  const pushed = await out({ url, sha: git(site.path, 'rev-parse', 'v1'), tag: 'v1' });
  t.equal(git(pushed.workspace, 'describe', '--exact-match'), 'v1');
  t.equal(pushed.read('a.txt'), 'one');
  for (const named of [
    { sha: git(site.path, 'rev-parse', 'v1'), tag: 'v1' },
    { sha: site.shas[0]!, tag: 'v1' },
    { ref: 'refs/tags/v1' },
  ]) {
    const whole = await out({ url, ...named, depth: 0 });
    t.equal(git(whole.workspace, 'describe', '--tags', '--exact-match'), 'v1', 'the tag, beside all others');
  }
  const moved = await out({ url, sha: site.shas[1]!, tag: 'v1', depth: 0 });
  t.equal(
    git(moved.workspace, 'describe', '--tags', '--exact-match'),
    'v1',
    'the commit that was pushed under the name',
  );
  t.equal(moved.read('a.txt'), 'two');
  const all = await out({ url, ref: 'HEAD', depth: 0 });
  t.equal(git(all.workspace, 'rev-list', '--count', 'HEAD'), '2');
  t.match(git(all.workspace, 'describe', '--tags'), /^v1-1-g/);
});

t.test('only some folders are written', async (t) => {
  const { workspace } = await out({ url, sha: site.shas[1]!, paths: ['lib/x'] });
  t.same(readdirSync(workspace).sort(), ['.git', 'a.txt', 'lib']);
  t.ok(existsSync(join(workspace, 'lib/x/b.txt')));
});

t.test('the credential is sent to the server of the repository, and stays nowhere', async (t) => {
  const forge = await served('x-access-token:tok-secret');
  const other = await served();
  repository('part', { 'p.txt': 'part' });
  const whole = repository('whole', { 'w.txt': 'whole' });
  const part = git(join(root, 'repos/part'), 'rev-parse', 'HEAD');
  // A relative address is one of the same server.
  for (const [name, address] of Object.entries({ here: '../part', there: `${other.url}/part` })) {
    git(whole.path, 'config', '-f', '.gitmodules', `submodule.${name}.path`, name);
    git(whole.path, 'config', '-f', '.gitmodules', `submodule.${name}.url`, address);
    git(whole.path, 'update-index', '--add', '--cacheinfo', `160000,${part},${name}`);
  }
  git(whole.path, 'add', '.gitmodules');
  git(whole.path, 'commit', '--quiet', '--message', 'parts');
  const sha = git(whole.path, 'rev-parse', 'HEAD');
  const work = { url: `${forge.url}/whole`, sha, submodules: true } as const;
  const { workspace, argv, read } = await out(work, 'tok-secret');
  t.equal(read('there/p.txt'), 'part');
  t.equal(read('here/p.txt'), 'part');
  t.ok(forge.asked.length > 0 && other.asked.length > 0);
  t.ok(forge.asked.every(({ authorization }) => authorization !== undefined));
  t.ok(
    other.asked.every(({ authorization }) => authorization === undefined),
    'another server is told nothing',
  );
  const encoded = Buffer.from('x-access-token:tok-secret').toString('base64');
  for (const secret of ['tok-secret', encoded]) {
    t.notOk(JSON.stringify(argv).includes(secret), 'no argument has it');
    t.throws(() => execFileSync('grep', ['-rqF', secret, workspace]), 'no file has it');
  }
  await t.rejects(out(work), { code: 'checkout_failed', message: /git fetch ended with/ });
  const failure = await out({ ...work, sha: 'f'.repeat(40) }, 'tok-secret').catch((error: Error) => error.message);
  t.notOk(String(failure).includes('tok-secret') || String(failure).includes(encoded));
});

t.test('a submodule is no program and no file of the machine', async (t) => {
  const marker = join(root, 'ran');
  const secret = repository('private', { 'key.txt': 'key' });
  const forge = await served();
  const hostile = (name: string, address: string, more: Record<string, string> = {}) => {
    const bad = repository(name, { 'x.txt': 'x' });
    git(bad.path, 'config', '-f', '.gitmodules', 'submodule.s.path', 's');
    git(bad.path, 'config', '-f', '.gitmodules', 'submodule.s.url', address);
    for (const [key, value] of Object.entries(more))
      git(bad.path, 'config', '-f', '.gitmodules', `submodule.s.${key}`, value);
    git(bad.path, 'update-index', '--add', '--cacheinfo', `160000,${secret.shas[0]},s`);
    git(bad.path, 'add', '.gitmodules');
    git(bad.path, 'commit', '--quiet', '--message', 'bad');
    return { url: `${forge.url}/${name}`, sha: git(bad.path, 'rev-parse', 'HEAD') };
  };
  const cases = {
    program: hostile('program', `ext::sh -c touch% ${marker}`),
    file: hostile('file', `file://${secret.path}`),
    path: hostile('path', secret.path),
    option: hostile('option', `--upload-pack=touch ${marker}`),
    update: hostile('update', `${forge.url}/private`, { update: `!touch ${marker}` }),
  };
  for (const [what, work] of Object.entries(cases)) {
    await t.rejects(out({ ...work, submodules: 'recursive' }), { code: 'checkout_failed' }, what);
    const { workspace } = await out(work);
    t.notOk(existsSync(join(workspace, 's/key.txt')), what);
  }
  t.notOk(existsSync(marker), 'nothing ran');
});

t.test('what a repository brings runs nothing and leads nowhere', async (t) => {
  const marker = join(root, 'ran-too');
  const bad = repository('bad', {
    '.gitattributes': '*.bin filter=lfs diff=lfs\n*.run filter=own\n',
    'big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
    'x.run': 'x',
    '.lfsconfig': `[lfs]\n\turl = http://127.0.0.1:1/x\n`,
    'hooks/post-checkout': `#!/bin/sh\ntouch ${marker}\n`,
  });
  mkdirSync(join(root, 'outside'));
  symlinkSync(join(root, 'outside'), join(bad.path, 'link'));
  git(bad.path, 'add', '.');
  git(bad.path, 'commit', '--quiet', '--message', 'a link');
  // Settings of the user and of the machine that would run programs are not read.
  writeFileSync(
    join(root, '.gitconfig'),
    `[core]\n\tfsmonitor = touch ${marker}\n\thooksPath = hooks\n[filter "own"]\n\tsmudge = touch ${marker}\n`,
  );
  const sha = git(bad.path, 'rev-parse', 'HEAD');
  const { read } = await out({ url: `file://${bad.path}`, sha });
  t.match(read('big.bin'), /oid sha256/, 'a file of LFS is its pointer');
  t.notOk(existsSync(marker));
  t.same(readdirSync(join(root, 'outside')), [], 'nothing is written through a link');
});

t.test('names that git would read otherwise are refused before it starts', async (t) => {
  for (const ref of [
    '',
    '-x',
    '--upload-pack=x',
    '+main',
    'a:b',
    'a b',
    'a..b',
    'a~1',
    'a^{}',
    'x.lock',
    '/x',
    'x/',
    'a@{1}',
    '^x',
  ])
    t.ok(findRefProblem(ref), ref);
  for (const ref of [
    'main',
    'HEAD',
    'refs/tags/v1.2-rc+1',
    'feature/ä',
    'a'.repeat(40),
    'dependabot/npm_and_yarn/x-1.0',
  ])
    t.equal(findRefProblem(ref), undefined, ref);
  for (const path of ['', '/etc', '../x', 'a/../b', '.git', 'a/.GIT/b', '-x', '!x', 'a//b', 'a\nb', '*', 'a/'])
    t.ok(findPathProblem(path), path);
  for (const path of ['lib', 'a/b.c/d-e', 'ä']) t.equal(findPathProblem(path), undefined, path);
  await t.rejects(out({ url, ref: '--upload-pack=x' }), {
    code: 'checkout_failed',
    message: /not the name of a branch/,
  });
  await t.rejects(out({ url, sha: 'main' }), { code: 'checkout_failed', message: /not a commit ID/ });
  await t.rejects(out({ url, ref: 'main', paths: ['../x'] }), {
    code: 'checkout_failed',
    message: /not a folder of a/,
  });
  await t.rejects(out({ url: 'ext::sh -c x', ref: 'main' }), { code: 'checkout_failed', message: /neither https/ });
  t.equal(gitEnvironment({ url: 'https://h/x', credential: undefined }, true).GIT_ALLOW_PROTOCOL, 'https');
});
