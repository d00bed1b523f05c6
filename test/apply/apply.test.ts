import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import t from 'tap';
import { homeFolder } from '../../features/support/home.ts';
import { Service } from '../../features/support/process.ts';
import { svcProgram } from '../../features/support/target.ts';

t.setTimeout(600_000);

interface Answered {
  exit: number | null;
  stdout: string;
  stderr: string;
}

const folder = await homeFolder('svc-apply-');
const env = { PATH: process.env.PATH ?? '', HOME: folder };
const dev = new Service(svcProgram, ['dev', '--port', '0', '--no-agent'], { cwd: folder, env });
t.teardown(async () => {
  await dev.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});
const [, address = ''] = await dev.says(/is ready: (\S+)/);
const url = address.replace(/\/$/, '');
const { token } = JSON.parse(await readFile(join(folder, '.svc/profile.json'), 'utf8')) as { token: string };

async function svc(
  args: readonly string[],
  project: string,
  server = url,
  onSpawn?: (kill: (signal?: NodeJS.Signals) => void, stderr: Readable) => void,
) {
  const settings = { SVC_URL: server, SVC_TOKEN: token, SVC_ORG: 'dev', SVC_PROJECT: project };
  const child = spawn(svcProgram, args, {
    cwd: folder,
    env: { ...env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onSpawn?.((signal = 'SIGKILL') => child.kill(signal), child.stderr);
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr), once(child, 'close')]);
  return { exit: child.exitCode, stdout, stderr } satisfies Answered;
}

async function makeProject(name: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1/orgs/dev/projects/${name}`, { method: 'PUT', headers, body: '{}' });
  if (!answer.ok) throw new Error(await answer.text());
  return name;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Every file below a folder, with its text. */
async function contents(path: string): Promise<Record<string, string>> {
  const entries = await readdir(join(folder, path), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(join(folder, path).length), await readFile(file, 'utf8')]),
  );
  return Object.fromEntries(texts.sort()) as Record<string, string>;
}

/** A server in front of ours that calls back at each request that changes something: before it, and before its answer. */
async function proxy(
  on: (moment: 'request' | 'answer', end: () => void) => boolean | Promise<boolean>,
): Promise<string> {
  const forward = async (from: IncomingMessage, to: ServerResponse) => {
    const changes = from.method !== 'GET';
    const end = () => {
      server.closeAllConnections();
      server.close();
    };
    if (changes && (await on('request', end))) return;
    const answerTo = async (answer: IncomingMessage) => {
      if (changes && (await on('answer', end))) return;
      to.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(to);
    };
    const outgoing = request(`${url}${from.url}`, { method: from.method, headers: from.headers }, (answer) => {
      void answerTo(answer);
    });
    outgoing.on('error', () => to.destroy());
    from.pipe(outgoing);
  };
  const server = createServer((from, to) => void forward(from, to)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const graph = { version: 'svc-graph/v1', nodes: [{ id: 'one', type: 'set', config: { values: { n: 1 } } }] };

async function writeFolder(path: string): Promise<void> {
  await write(`${path}/graphs/one.yaml`, 'document: one.json\npublished: true\n');
  await write(`${path}/graphs/one.json`, JSON.stringify(graph));
  await write(`${path}/handlers/a.yaml`, 'on: [a]\nfile: a.sh\n');
  await write(`${path}/handlers/a.sh`, 'echo a\n');
  await write(`${path}/handlers/b.yaml`, 'on: [b]\ngraph: one\n');
  await write(`${path}/schedules/c.yaml`, 'cron: 0 3 * * *\n');
  await write(`${path}/event-hooks/d.yaml`, 'event_type: d\n');
  await write(`${path}/members/eve.yaml`, 'role: viewer\n');
}

t.test('an apply that is killed anywhere is finished by the next one', async (t) => {
  await writeFolder('k');
  const reference = await makeProject('reference');
  let changes = 0;
  const counting = await proxy((moment) => {
    if (moment === 'request') changes += 1;
    return false;
  });
  t.equal((await svc(['apply', '-f', 'k'], reference, counting)).exit, 0);
  t.equal((await svc(['export', '-o', 'reference'], reference)).exit, 0);
  const expected = await contents('reference');
  t.ok(changes >= 12, `${changes} changes`);
  for (let at = 1; at <= changes; at += 1) {
    const moment = at % 2 === 0 ? 'request' : 'answer';
    const project = await makeProject(`killed-${at}`);
    let seen = 0;
    let kill = () => {};
    const killing = await proxy((now) => {
      if (now === moment) seen += 1;
      if (now !== moment || seen !== at) return false;
      kill();
      return true;
    });
    const killed = await svc(['apply', '-f', 'k'], project, killing, (end) => (kill = end));
    t.equal(killed.exit, null, `it was killed at the ${moment} of change ${at}`);
    const again = await svc(['apply', '-f', 'k'], project);
    t.equal(again.exit, 0, again.stderr);
    t.match((await svc(['apply', '-f', 'k'], project)).stderr, /nothing to do: 6 unchanged/);
    const out = `out-${at}`;
    await svc(['export', '-o', out], project);
    t.same(await contents(out), expected, `after a kill at change ${at}, the project is the same`);
    // Each of them was marked, whichever apply made it.
    if (at === changes) {
      await mkdir(join(folder, 'none'), { recursive: true });
      const pruned = await svc(['apply', '-f', 'none', '--prune', '--allow-empty'], project);
      t.equal(pruned.stdout.trim().split('\n').length, 6, pruned.stdout + pruned.stderr);
    }
  }
});

t.test('an apply that is interrupted says what it did, and the next one does the rest', async (t) => {
  await writeFolder('i');
  for (const [how, exit] of [
    ['a signal', 130],
    ['a lost connection', 3],
  ] as const) {
    const project = await makeProject(`interrupted-${exit}`);
    let seen = 0;
    let interrupt = async () => {};
    const server = await proxy(async (moment, end) => {
      if (moment === 'request') seen += 1;
      if (seen < 3 || moment === 'request') return false;
      // The request goes through in both cases. Its answer comes once the command knows of the signal, or gets lost.
      if (exit === 130 && seen === 3) await interrupt();
      if (exit === 3) end();
      return exit === 3;
    });
    const interrupted = await svc(['apply', '-f', 'i'], project, server, (kill, stderr) => {
      interrupt = async () => {
        const says = once(stderr, 'data');
        kill('SIGINT');
        await says;
      };
    });
    t.equal(interrupted.exit, exit, `${how}: ${interrupted.stderr}`);
    t.match(interrupted.stdout, /^created graphs\/one\n/, 'what was done is reported');
    t.match(interrupted.stderr, /interrupted: [12] created, .*, [45] not done/);
    t.match(interrupted.stderr, /not done: .*members\/eve/);
    t.match(interrupted.stderr, /repeat the command to complete the rest/);
    const json = await svc(['diff', '-f', 'i', '--json'], project);
    const { objects } = JSON.parse(json.stdout) as { objects: { name: string }[] };
    t.ok(objects.length >= 3 && objects.length <= 5, `${objects.length} are left`);
    t.equal((await svc(['apply', '-f', 'i'], project)).exit, 0);
    t.match((await svc(['apply', '-f', 'i'], project)).stderr, /nothing to do: 6 unchanged/);
  }
});

t.test('two applies at once leave the project as the files say', async (t) => {
  await writeFolder('two');
  const project = await makeProject('at-once');
  const both = await Promise.all([svc(['apply', '-f', 'two'], project), svc(['apply', '-f', 'two'], project)]);
  for (const { exit, stderr } of both) t.ok(exit === 0 || exit === 1, stderr);
  t.match((await svc(['apply', '-f', 'two'], project)).stderr, /unchanged/);
  t.equal((await svc(['diff', '-f', 'two'], project)).exit, 0);
  const marks = await svc(['apply', '-f', 'two', '--prune', '--json'], project);
  t.match(JSON.parse(marks.stdout), { unchanged: { length: 6 }, remaining: [] });
});

t.test('a server with names that lead out of the folder writes nothing', async (t) => {
  const names = ['../../escaped', '/tmp/escaped', '.git', 'a/b', 'ok'];
  const answer = (path: string): object => {
    const [, kind = '', name] = /projects\/[^/]+\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
    if (name === undefined) return { [kind.replaceAll('-', '_')]: kind === 'vars' ? names.map(variable) : [] };
    return variable(decodeURIComponent(name));
  };
  const variable = (name: string) => ({ name, value: 'x', origin: 'project' });
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(new URL(request.url ?? '', url).pathname)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { exit, stdout, stderr } = await svc(['export', '-o', 'hostile'], 'p', address);
  t.equal(exit, 0, stderr);
  t.equal(stdout, 'vars/ok.yaml\n');
  t.match(stderr, /vars\/"\.\.\/\.\.\/escaped" is not exported/);
  t.same(Object.keys(await contents('hostile')), ['/vars/ok.yaml']);
});

t.test('files from strangers cost little and reach nothing else', async (t) => {
  const project = await makeProject('attacked');
  const rejects = async (what: string, says: RegExp) => {
    const began = performance.now();
    const { exit, stderr } = await svc(['apply', '-f', 'x'], project);
    t.equal(exit, 2, `${what}: ${stderr.slice(0, 300)}`);
    t.match(stderr, says, what);
    t.ok(performance.now() - began < 60_000, `${what} took ${Math.round(performance.now() - began)} ms`);
    await rm(join(folder, 'x'), { recursive: true });
  };

  const laughs = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n');
  await write('x/handlers/bomb.yaml', `a0: &a0 [lol]\n${laughs}\n`);
  await rejects('aliases', /handlers\/bomb\.yaml:\/a1\/0: is an alias/);

  await write('x/handlers/deep.yaml', `on: ${'['.repeat(100_000)}`);
  await rejects('brackets', /handlers\/deep\.yaml/);

  await write('x/handlers/keys.yaml', Array.from({ length: 100_000 }, (_, n) => `k${n}: 1`).join('\n'));
  await rejects('many members', /handlers\/keys\.yaml:\/k0: is not a known member/);

  await write('x/handlers/large.yaml', `on: [${'x'.repeat(5 * 1024 * 1024)}]`);
  await rejects('a large file', /handlers\/large\.yaml: .*has more than/);

  await write('x/handlers/proto.yaml', 'on: [a]\nsource: x\nfilename: x.sh\n__proto__: { polluted: true }\n');
  await rejects('a prototype', /__proto__: is not a known member/);

  for (const member of ['org', 'project', 'owner', 'set_by', 'name']) {
    await write('x/handlers/other.yaml', `on: [a]\nsource: x\nfilename: x.sh\n${member}: rival\n`);
    await rejects(`a foreign ${member}`, new RegExp(`other\\.yaml:/${member}: is not a known member`));
  }

  await write('x/graphs/up.yaml', 'document: ../../../../../../etc/passwd\n');
  await rejects('a path to /etc', /graphs\/up\.yaml: .*outside/);

  await write('x/handlers/inc.yaml', 'on: [a]\nfile: inc.sh\ninclude: [../../.svc]\n');
  await write('x/handlers/inc.sh', 'echo\n');
  await rejects('an included folder of svc', /handlers\/inc\.yaml: .*outside/);

  await mkdir(join(folder, 'elsewhere'));
  await write('elsewhere/z.yaml', 'on: [a]\nsource: x\nfilename: x.sh\n');
  await mkdir(join(folder, 'x'));
  await symlink(join(folder, 'elsewhere'), join(folder, 'x/handlers'));
  await rejects('a folder that is a link', /handlers\/z\.yaml: .*outside/);

  await mkdir(join(folder, 'x/handlers'), { recursive: true });
  execFileSync('mkfifo', [join(folder, 'x/handlers/pipe.yaml')]);
  await rejects('a pipe', /handlers\/pipe\.yaml: is not a regular file/);

  await mkdir(join(folder, 'x/handlers'), { recursive: true });
  await Promise.all(
    Array.from({ length: 5001 }, (_, n) => writeFile(join(folder, `x/handlers/h${n}.yaml`), 'on: [7]\n')),
  );
  await rejects('many files', /more than 5000 files/);

  const { stdout } = await svc(['handler', 'ls', '--json'], project);
  t.same((JSON.parse(stdout) as { handlers: unknown[] }).handlers, [], 'nothing was created');
});

t.test('an export writes through no link and no name of its own', async (t) => {
  await writeFolder('l');
  const project = await makeProject('linked');
  t.equal((await svc(['apply', '-f', 'l'], project)).exit, 0);
  await mkdir(join(folder, 'target'), { recursive: true });
  await mkdir(join(folder, 'into'), { recursive: true });
  await symlink(join(folder, 'target'), join(folder, 'into/handlers'));
  const { exit, stderr } = await svc(['export', '-o', 'into'], project);
  t.equal(exit, 2);
  t.match(stderr, /handlers is a link/);
  t.same(await readdir(join(folder, 'target')), []);
  await cp(join(folder, 'l'), join(folder, 'l2'), { recursive: true });
  t.equal((await svc(['diff', '-f', 'l2'], project)).exit, 0);
});
