import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { clone } from '../../features/support/target.ts';

/** The project's own Node 24 stands first on the PATH, as on a machine that has it. */
const NODE = dirname(process.execPath);
const BOUND_MS = 1_200_000;
/** What npm says when there is no way to the registry. */
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT/;

/** A machine on which nothing is installed: an empty home, no cache of npm, no variable of ours. */
export interface Machine {
  folder: string;
  env: Record<string, string>;
  remove(): void;
}

export function emptyMachine(): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-package-')));
  const { PATH = '' } = process.env;
  const outside = PATH.split(':').filter((one) => !one.includes('node_modules') && !one.startsWith(clone));
  const path = [join(folder, 'prefix/bin'), NODE, ...outside].join(':');
  // `npm test` hands on where it looks itself, which with the project's own Node is another place than on this machine.
  const plain = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry$)/i.test(name));
  const npm = npmSettings(folder, { ...Object.fromEntries(plain), PATH: outside.join(':') });
  const env = { PATH: path, HOME: join(folder, 'home'), LANG: 'C.UTF-8', TERM: 'dumb', ...npm };
  mkdirSync(env.HOME);
  return { folder, env, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** How this machine reaches the registry stays: npm looks for that beside its Node and beside its prefix. */
function npmSettings(folder: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const config = (name: string) => said('npm', ['config', 'get', name], tmpdir(), env).trim();
  return {
    npm_config_globalconfig: config('globalconfig'),
    ...(env.npm_config_registry ? { npm_config_registry: env.npm_config_registry } : {}),
    npm_config_userconfig: config('userconfig'),
    npm_config_prefix: join(folder, 'prefix'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '1',
    npm_config_fetch_timeout: '30000',
    npm_config_update_notifier: 'false',
  };
}

/** What a program prints; throws when it fails. */
export function said(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: BOUND_MS });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** A copy of the clone, because packing replaces package.json for a while. Pages and packages are those of the clone. */
export function copyOfClone(folder: string): string {
  const copy = join(folder, 'clone');
  const listed = said('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], clone);
  const pages = 'plugins/operations/console/web/dist';
  for (const path of [...listed.split('\0'), pages])
    if (path !== '' && existsSync(join(clone, path))) cpSync(join(clone, path), join(copy, path), { recursive: true });
  symlinkSync(join(clone, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** `npm pack` in the root; answers the tarball. */
export function pack(copy: string, { folder }: Machine): string {
  const before = readFileSync(join(copy, 'package.json'), 'utf8');
  const { PATH, ...others } = process.env;
  const env = { ...others, PATH: `${join(clone, 'node_modules/.bin')}:${PATH}` };
  const name = said('npm', ['pack', '--silent', '--pack-destination', folder], copy, env).trim();
  if (readFileSync(join(copy, 'package.json'), 'utf8') !== before) throw new Error('npm pack changed package.json');
  if (!readdirSync(folder).includes(name)) throw new Error(`npm pack says "${name}" and made no such file`);
  return join(folder, name);
}

/** `npm install -g <tarball>`; why it could not be done, when the registry is out of reach. */
export function installGlobally(tarball: string, { folder, env }: Machine): string | undefined {
  const args = ['install', '--global', tarball];
  const done = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8', timeout: BOUND_MS });
  if (done.status === 0) return undefined;
  const why = `${done.error ?? ''} ${done.stderr}`;
  const [unreachable] = UNREACHABLE.exec(why) ?? [];
  if (unreachable === undefined) throw new Error(`npm install: ${why}`);
  return `the registry of npm cannot be reached (${unreachable})`;
}
