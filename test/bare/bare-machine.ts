import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clone } from '../../features/support/target.ts';
import { hasProgram } from '../kit/needs.ts';

const run = promisify(execFile);

/** It holds a system, npm packages and caches, and devices are made in it: no place for memory. */
const PARENT = '/var/tmp';
const PREPARE_MS = 15 * 60_000;
/** Of what a command prints; its end is what is kept. */
const MAX_OUTPUT = 64 * 1024 * 1024;
/** The npm that the distribution of a Node brings. */
const NPM: Record<Major, string> = { 20: '10', 22: '10', 24: '11' };
/** Debian's root has no bundle of certificates, and a machine may trust one of its own. */
const CERTIFICATES = '/usr/local/share/registry.pem';
const GUEST = 'guest';
const PROGRAMS = ['debootstrap', 'unshare', 'pivot_root', 'setpriv'];

export type Major = 20 | 22 | 24;
export type User = typeof GUEST | 'root';

interface RunOptions {
  user: User;
  folder: string;
  bound_ms: number;
  /** Of what it prints, as it comes. */
  heard?: (chunk: Buffer) => void;
}

export interface Ended {
  exit: number;
  /** Both streams. */
  output: string;
}

/** Why there can be no bare machine on this one; undefined: there can. */
export function whatLacks(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'a root of its own needs root on Linux';
  const missing = PROGRAMS.filter((name) => !hasProgram(name));
  return missing.length > 0 ? `there is no ${missing.join(', ')}` : undefined;
}

/**
 * A machine that has Debian's smallest system, a Node with its npm, and nothing else: no git, Python, compiler, browser or
 * database. It shares the kernel and the network with this one.
 */
export class BareMachine {
  readonly #folder: string;
  readonly #root: string;
  readonly #env: Record<string, string>;
  readonly #onExit = () => this.remove();
  #child: ChildProcess | undefined;

  private constructor(folder: string, env: Record<string, string>) {
    this.#folder = folder;
    this.#root = join(folder, 'root');
    this.#env = env;
    process.once('exit', this.#onExit);
  }

  static async make(): Promise<BareMachine> {
    const settings = await registrySettings();
    const machine = new BareMachine(mkdtempSync(join(PARENT, 'svc-bare-')), settings.env);
    try {
      await machine.#install(settings.cafile);
    } catch (error) {
      machine.remove();
      throw error;
    }
    return machine;
  }

  async #install(cafile: string | undefined): Promise<void> {
    const { mirror, release, proxy } = await packagesOfThisMachine();
    const env = { ...process.env, ...(proxy === '' ? {} : { http_proxy: proxy }) };
    const options = { env, timeout: PREPARE_MS, maxBuffer: MAX_OUTPUT };
    // Users other than root pass through it.
    chmodSync(this.#folder, 0o755);
    await run('debootstrap', ['--variant=minbase', release, this.#root, mirror], options);
    for (const file of ['resolv.conf', 'hosts'])
      if (existsSync(`/etc/${file}`)) cpSync(`/etc/${file}`, join(this.#root, 'etc', file), { dereference: true });
    if (cafile !== undefined) cpSync(cafile, join(this.#root, CERTIFICATES), { dereference: true });
    await run('chroot', [this.#root, '/usr/sbin/useradd', '--create-home', GUEST]);
  }

  /** In place of the one that is there. Node 24 is the project's own; others come from the registry. */
  async useNode(major: Major): Promise<void> {
    const folder = join(this.#folder, `node-${major}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
    const own = major === 24 ? process.execPath : undefined;
    const packages = [`npm@${NPM[major]}`, ...(own === undefined ? [`node@${major}`] : [])];
    await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
      cwd: folder,
      timeout: PREPARE_MS,
    });
    const local = join(this.#root, 'usr/local');
    for (const path of ['bin', 'lib/node_modules']) {
      rmSync(join(local, path), { recursive: true, force: true });
      mkdirSync(join(local, path), { recursive: true });
    }
    cpSync(own ?? join(folder, 'node_modules/node/bin/node'), join(local, 'bin/node'), { dereference: true });
    cpSync(join(folder, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
    rmSync(folder, { recursive: true });
  }

  /** Puts what git knows of this clone into the home of a user, and what is new in it; answers the folder. */
  async cloneFor(user: User): Promise<string> {
    const home = user === 'root' ? '/root' : `/home/${user}`;
    const copy = join(this.#root, home, 'svc');
    rmSync(copy, { recursive: true, force: true });
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { stdout } = await run('git', args, { cwd: clone, maxBuffer: MAX_OUTPUT });
    for (const path of stdout.split('\0'))
      if (path !== '' && existsSync(join(clone, path))) cpSync(join(clone, path), join(copy, path));
    await run('chroot', [this.#root, '/bin/chown', '-R', `${user}:${user}`, join(home, 'svc')]);
    return join(home, 'svc');
  }

  /** Runs a line of shell in a folder of the machine, with nothing in its environment but what a login has. */
  async run(line: string, { user, folder, bound_ms, heard }: RunOptions): Promise<Ended> {
    const enter = [
      '--mount',
      '--pid',
      '--ipc',
      '--uts',
      '--fork',
      '--kill-child',
      'sh',
      join(import.meta.dirname, 'enter.sh'),
    ];
    const shell = ['sh', '-c', 'cd "$1" && eval "$2"', 'sh', folder, line];
    const home = user === 'root' ? '/root' : `/home/${user}`;
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const env = { ...this.#env, HOME: home, USER: user, LANG: 'C.UTF-8', PATH };
    const child = spawn('unshare', [...enter, this.#root, user, ...shell], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        heard?.(chunk);
        for (bytes += chunk.length; bytes > MAX_OUTPUT; ) bytes -= chunks.shift()!.length;
      });
    const killer = setTimeout(() => child.kill('SIGKILL'), bound_ms);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(killer);
    this.#child = undefined;
    return { exit: code ?? 128, output: Buffer.concat(chunks).toString('utf8') };
  }

  /** Safe to call twice. What is mounted in it goes with the commands. */
  remove(): void {
    process.removeListener('exit', this.#onExit);
    // It takes what runs in it along, and does not heed SIGTERM.
    this.#child?.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Packages {
  mirror: string;
  release: string;
  /** Empty where there is none. */
  proxy: string;
}

/** Where apt gets the packages of this machine's release from. */
async function packagesOfThisMachine(): Promise<Packages> {
  const [, release = ''] = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const format = ['--format', '$(RELEASE) $(SITE)', 'Created-By: Packages'];
  const { stdout } = await run('apt-get', ['indextargets', ...format]);
  const lines = stdout.split('\n').map((line) => line.split(' '));
  const mirror = lines.find(([name]) => name === release)?.[1];
  if (release === '' || mirror === undefined) throw new Error(`apt has no packages of the release "${release}"`);
  const { stdout: config } = await run('apt-config', ['dump', '--format', '%v', 'Acquire::http::Proxy']);
  return { mirror, release, proxy: config.trim() };
}

/** How npm reaches the registry here; a bundle of certificates is copied, and found there at another path. */
async function registrySettings(): Promise<{ env: Record<string, string>; cafile: string | undefined }> {
  const config = async (name: string): Promise<string | undefined> => {
    const value = (await run('npm', ['config', 'get', name], { cwd: PARENT })).stdout.trim();
    return value === '' || value === 'null' || value === 'undefined' ? undefined : value;
  };
  const cafile = (await config('cafile')) ?? process.env.NODE_EXTRA_CA_CERTS;
  const env: Record<string, string> = { npm_config_update_notifier: 'false' };
  for (const name of ['registry', 'proxy', 'https-proxy']) {
    const value = await config(name);
    if (value !== undefined) env[`npm_config_${name.replace('-', '_')}`] = value;
  }
  if (cafile !== undefined) env.npm_config_cafile = CERTIFICATES;
  return { env, cafile };
}
