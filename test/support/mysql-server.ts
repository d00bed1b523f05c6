import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { connectToServer, dumpDatabase, loadDump } from '../kit/mysql-dump.ts';
import { freePort } from '../../features/support/free-port.ts';
import { leaveOut } from '../kit/needs.ts';

const run = promisify(execFile);
const READY_MS = 60_000;
/** A program that is named answers for its own defaults: it may be a launcher that has set them. */
const DEFAULTS = process.env.SVC_TEST_MYSQLD ? [] : ['--no-defaults'];

export interface MysqlServer {
  /** `mysql://user@host:port` without a database. */
  url: string;
  stop(): Promise<void>;
}

/** A server of our own, for tests that hurt it. */
export interface PrivateMysqlServer extends MysqlServer {
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same folder and port. */
  restart(): Promise<void>;
  /** SIGSTOP; resolves when every thread stands still (Linux). */
  freeze(): Promise<void>;
  /** SIGCONT. */
  thaw(): void;
}

export type NoServer = { reason: string };

/**
 * A server for tests: the one of `SVC_TEST_MYSQL_URL` when set, else a private one of a `mariadbd` or `mysqld` on this
 * machine (`SVC_TEST_MYSQLD` names another), else the reason why there is none.
 */
export async function startMysql(): Promise<MysqlServer | NoServer> {
  const given = process.env.SVC_TEST_MYSQL_URL;
  if (given) return { url: given.replace(/\/+$/, ''), stop: async () => undefined };
  return startPrivateMysql();
}

/** A private server on a temporary folder and a free port, removed by `stop` or with this process. */
export async function startPrivateMysql(): Promise<PrivateMysqlServer | NoServer> {
  const program = findServer();
  if (!program) return { reason: 'SVC_TEST_MYSQL_URL is not set and there is no mariadbd or mysqld on this machine' };
  // Some systems let a database server write below /tmp, and not where the tests may be told to.
  const parents = [...new Set([tmpdir(), '/tmp'])];
  let failure: unknown;
  for (const parent of parents)
    try {
      return await startIn(program, parent);
    } catch (error) {
      failure = error;
    }
  throw failure;
}

async function startIn(program: string, parent: string): Promise<PrivateServer> {
  const server = new PrivateServer(program, await mkdtemp(join(parent, 'svc-mysql-')));
  try {
    await server.install();
    // Only now: an installation takes seconds, in which another could get the port.
    server.port = await freePort();
    await server.restart();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** A fresh database with a random name. `drop` removes it, also when somebody still uses it. */
export async function createDatabase(serverUrl: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`) };
}

/** Makes databases with the tables and rows that a database has now. */
export async function copiesOf(url: string): Promise<() => Promise<{ url: string; drop(): Promise<void> }>> {
  const dump = await dumpDatabase(url);
  const server = new URL(url);
  server.pathname = '';
  return async () => {
    const copy = await createDatabase(server.href);
    await loadDump(copy.url, dump);
    return copy;
  };
}

/** The URL of an empty database that ends with the test, or undefined if the test is left out because there is no server. */
export async function openMysql(t: Pick<Test, 'plan' | 'teardown'>): Promise<string | undefined> {
  const server = await startMysql();
  if ('reason' in server) {
    leaveOut(t, 'mariadbd', server.reason);
    return undefined;
  }
  t.teardown(() => server.stop());
  const { url, drop } = await createDatabase(server.url);
  t.teardown(drop);
  return url;
}

const connect = (serverUrl: string) => connectToServer(new URL(serverUrl));

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const connection = await connect(serverUrl);
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

function findServer(): string | undefined {
  const named = process.env.SVC_TEST_MYSQLD;
  if (named) return named;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/libexec'];
  return ['mariadbd', 'mysqld'].flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

class PrivateServer implements PrivateMysqlServer {
  port = 0;
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #guard: ChildProcess | undefined;

  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  /** Its temporary files go with its data. */
  get #env(): NodeJS.ProcessEnv {
    return { ...process.env, TMPDIR: this.#folder };
  }

  get url(): string {
    return `mysql://svc@127.0.0.1:${this.port}`;
  }

  async install(): Promise<void> {
    const env = this.#env;
    const { stdout } = await run(this.#program, [...DEFAULTS, '--version']);
    const data = `--datadir=${join(this.#folder, 'data')}`;
    if (/mariadb/i.test(stdout)) {
      const beside = join(dirname(this.#program), '..', 'bin', 'mariadb-install-db');
      const installer = isExecutable(beside) ? beside : 'mariadb-install-db';
      const how = ['--skip-test-db', '--auth-root-authentication-method=normal', ...asUser()];
      await run(installer, ['--no-defaults', data, ...how], { env });
    } else await run(this.#program, [...DEFAULTS, data, '--initialize-insecure', ...asUser()], { env });
    const user = "'svc'@'127.0.0.1'";
    await writeFile(
      join(this.#folder, 'init.sql'),
      `CREATE USER IF NOT EXISTS ${user};\nGRANT ALL ON *.* TO ${user} WITH GRANT OPTION;\n`,
    );
  }

  async restart(): Promise<void> {
    if (this.#child) await this.kill();
    const child = spawn(
      this.#program,
      [
        ...DEFAULTS,
        `--datadir=${join(this.#folder, 'data')}`,
        `--socket=${join(this.#folder, 'mysql.sock')}`,
        `--pid-file=${join(this.#folder, 'mysql.pid')}`,
        `--init-file=${join(this.#folder, 'init.sql')}`,
        `--log-error=${join(this.#folder, 'error.log')}`,
        `--port=${this.port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        '--skip-log-bin',
        '--loose-mysqlx=OFF',
        `--secure-file-priv=${this.#folder}`,
        '--innodb-buffer-pool-size=128M',
        '--max-connections=500',
        ...asUser(),
      ],
      { stdio: 'ignore', env: this.#env },
    );
    this.#child = child;
    this.#guard = guard(child, this.#folder);
    await this.#ready(child);
  }

  async kill(): Promise<void> {
    await this.#end();
  }

  async freeze(): Promise<void> {
    const child = this.#child;
    if (!child) throw new Error('the server does not run');
    child.kill('SIGSTOP');
    while (!(await standsStill(child.pid!))) await delay(1);
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    // Its data goes with it, so there is nothing to shut down in order.
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#guard?.kill('SIGKILL');
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async #ready(child: ChildProcess): Promise<void> {
    let failure: Error | undefined;
    child.once('error', (error) => {
      failure = error;
    });
    for (const until = Date.now() + READY_MS; Date.now() < until; await delay(25)) {
      if (failure || child.exitCode !== null || child.signalCode !== null) break;
      const connection = await connect(this.url).catch(() => undefined);
      if (!connection) continue;
      await connection.end();
      return;
    }
    const log = await readFile(join(this.#folder, 'error.log'), 'utf8').catch(() => '');
    throw new Error(`${this.#program} did not come up: ${failure?.message ?? ''}\n${log.slice(-2000)}`);
  }
}

/** Ends the server and removes its folder when this process goes away, however it does: then its standard input ends. */
function guard(server: ChildProcess, folder: string): ChildProcess {
  const script = 'cat > /dev/null; kill -9 "$1"; sleep 0.1; rm -rf "$2"';
  const child = spawn('sh', ['-c', script, 'guard', String(server.pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}

async function standsStill(pid: number): Promise<boolean> {
  const folder = `/proc/${pid}/task`;
  const threads = await readdir(folder);
  const stats = await Promise.all(threads.map((id) => readFile(join(folder, id, 'stat'), 'utf8')));
  return stats.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'));
}

/** These servers refuse to run as root unless told to. */
const asUser = (): string[] => (process.getuid?.() === 0 ? ['--user=root'] : []);
