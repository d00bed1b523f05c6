import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What tests need of a machine beside Node, and how it gets that: packages of Debian, or a sentence. */
export const INSTALL = {
  buildah: 'buildah',
  cc: 'gcc libc6-dev',
  chromium: 'chromium',
  curl: 'curl',
  debootstrap: 'debootstrap',
  'docker-compose': 'docker-compose',
  fish: 'fish',
  galera: 'mariadb-server galera-4 rsync iproute2',
  git: 'git',
  go: 'golang-go',
  ip: 'iproute2',
  isolation: 'gcc libc6-dev',
  mariadbd: 'mariadb-server',
  newuidmap: 'uidmap',
  namespaces: 'nothing: the kernel must allow unshare',
  'nats-server': 'nats-server',
  'other users': 'nothing: run it where every user may read the clone and its Node',
  perl: 'perl',
  ps: 'procps',
  python3: 'python3',
  root: 'nothing: run it as root',
  ruby: 'ruby',
  somaxconn: 'nothing: raise net.core.somaxconn',
  zsh: 'zsh',
} as const;

export type Need = keyof typeof INSTALL;

export const isNeed = (name: string): name is Need => Object.hasOwn(INSTALL, name);

/** Options of a test. */
export interface Skip {
  skip?: string;
}

/** A user that owns nothing here. */
const NOBODY = 65_534;

/** Where servers lie that only root is meant to start, besides the PATH. */
const SERVERS = ['/usr/sbin', '/sbin'];

/** Has this machine the program, and for `root`: is this root? */
export const isThere = (name: string): boolean => (name === 'root' ? process.getuid?.() === 0 : hasProgram(name));

export const hasProgram = (name: string): boolean =>
  [...(process.env.PATH ?? '').split(delimiter), ...SERVERS].some((folder) => isProgram(join(folder, name)));

/** Options of a test that calls these programs: it is left out where one of them is missing. `npm test` lists what was. */
export function needs(...programs: Need[]): Skip {
  const missing = programs.filter((name) => !isThere(name));
  return missing.length === 0 ? {} : { skip: reasonOf(missing) };
}

/**
 * The same for what a test finds out by other means than the PATH: `why` says what is wrong, `true` that there is none;
 * nothing is wrong when it is undefined or false.
 */
export function lacking(need: Need, why: string | boolean | undefined): Skip {
  return why === undefined || why === false ? {} : { skip: reasonOf([need], why) };
}

/**
 * Options of a test in which root runs programs as other users: it is left out for anyone but root, and where other users
 * cannot start this Node, as in a clone in a private folder.
 */
export function needsOtherUsers(): Skip {
  if (process.getuid?.() !== 0) return lacking('root', true);
  const { status } = spawnSync(process.execPath, ['-e', ''], { uid: NOBODY, gid: NOBODY, cwd: '/' });
  return lacking('other users', status !== 0);
}

/** Leaves out the test that this is, or a whole file at its beginning, before anything was tested. */
export function leaveOut(t: { plan(count: number, reason: string): void }, need: Need, why?: string): void {
  t.plan(0, reasonOf([need], why));
}

/**
 * At the beginning of a file all of whose tests call these programs: the file ends here where one of them is missing. It has
 * a process of its own.
 */
export function fileNeeds(t: { plan(count: number, reason: string): void }, ...programs: Need[]): void {
  const { skip } = needs(...programs);
  if (skip === undefined) return;
  t.plan(0, skip);
  process.exit();
}

/** Leaves out tests under one name, where what they share cannot be had. */
export function omit(t: Omitting, name: string, need: Need, why?: string): void {
  t.test(name, { skip: reasonOf([need], why) }, () => undefined);
}

/** Of tap. */
interface Omitting {
  test(name: string, options: Skip, run: () => void): unknown;
}

/** As the gate reads it: in a skipped test, or in brackets at the end of a line `left out: …`. */
export function reasonOf(missing: readonly Need[], why: string | boolean = true): string {
  return `needs ${missing.join(', ')}${typeof why === 'string' ? `: ${why}` : ''}`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
