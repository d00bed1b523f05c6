import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, link, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Ids } from '../../../../kernel/contracts/index.ts';
import { type RunAs, readRunAs } from '../../agents/contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import { runAsUnusable } from '../errors.ts';
import type { UserIds } from '../native/frames.ts';

const run = promisify(execFile);

/** The user that runs the trusted programs of one project. */
export interface RunUser extends UserIds {
  /** Absent when the uid has no account. */
  name?: string;
  home: string;
  /** The folder in which its programs start. */
  workdir: string;
  /** The folder for temporary files of its programs; by default that of the agent. */
  tmp?: string;
}

export interface RunUsersDeps {
  env: AgentEnvironment;
  ids: Pick<Ids, 'bytes'>;
  /** The Node.js that runs scripts. */
  node: string;
  /** The account file; by default that of this machine. */
  passwd?: string;
  /** The group file; by default that of this machine. */
  group?: string;
  /** The file of subordinate ids, which users may map in namespaces of their own. */
  subid?: string;
}

const STATE = '/var/lib/svc';
const TEST_TIMEOUT_MS = 10_000;
const OTHERS_WRITE = 0o022;

/**
 * The users of `SVC_AGENT_RUN_AS`. A range provides one user for each project. It is chosen when the first program of
 * the project starts and recorded in the folder `SVC_AGENT_STATE` of the machine, so that all agents of the machine
 * use the same one forever. The files that a project leaves behind therefore never fall to another project.
 */
export class RunUsers {
  readonly #deps: RunUsersDeps;
  readonly #run_as: RunAs;
  readonly #state: string;
  readonly #users_by_project = new Map<string, Promise<RunUser>>();
  readonly #temporary = new Map<string, Promise<string>>();

  /** Returns undefined when programs run as the agent's user. Throws `run_as_unusable`. */
  static of(deps: RunUsersDeps): RunUsers | undefined {
    const run_as = readRunAs(deps.env.SVC_AGENT_RUN_AS);
    if (run_as !== undefined && 'fault' in run_as) throw runAsUnusable(run_as.fault);
    return run_as && new RunUsers(deps, run_as);
  }

  private constructor(deps: RunUsersDeps, run_as: RunAs) {
    this.#deps = deps;
    this.#run_as = run_as;
    this.#state = resolve(deps.env.SVC_AGENT_STATE || STATE);
  }

  /** Throws `run_as_unusable` when this machine cannot do what the settings say. */
  async check(): Promise<void> {
    if ('user' in this.#run_as) return await this.#requireAccess(await this.#named(this.#run_as.user));
    const { first, last } = this.#run_as;
    const accounts = (await this.#accounts()).filter(({ uid }) => uid >= first && uid <= last);
    if (accounts.length > 0)
      throw runAsUnusable(
        `the range in SVC_AGENT_RUN_AS contains the user ${accounts[0]!.name} (${accounts[0]!.uid}) on this machine; use IDs without an account`,
      );
    await this.#requireUnused(first, last);
    for (const folder of [this.#state, this.#claimsFolder(), this.#homesFolder()])
      await this.#createStateFolder(folder);
    const { SVC_AGENT_WORKDIR: given } = this.#deps.env;
    if (given) await requireRootFolder(resolve(given), 'SVC_AGENT_WORKDIR');
    await this.#requireAccess({ uid: first, gid: first, workdir: resolve(given || this.#homesFolder()) });
  }

  /**
   * Checks that no account and no group has a number of the range. The programs of a project also use its number as
   * their group, and whoever has a number as a subordinate id (subuid) could become that user in a namespace.
   */
  async #requireUnused(first: number, last: number): Promise<void> {
    const readRecords = async (given: string | undefined, files: readonly string[]) => {
      const texts = files.map((file) => readFile(file, 'utf8').catch(() => ''));
      return (given ?? (await Promise.all(texts)).join('\n')).split('\n').map((line) => line.split(':'));
    };
    const rangeError = (what: string) =>
      runAsUnusable(`the range in SVC_AGENT_RUN_AS contains ${what} on this machine; use IDs that no user has`);
    for (const [name, , gid = ''] of await readRecords(this.#deps.group, ['/etc/group']))
      if (/^\d+$/.test(gid) && Number(gid) >= first && Number(gid) <= last)
        throw rangeError(`the group ${name} (${gid})`);
    for (const [name, from = '', count = ''] of await readRecords(this.#deps.subid, ['/etc/subuid', '/etc/subgid'])) {
      if (!/^\d+$/.test(from) || !/^\d+$/.test(count)) continue;
      const to = Number(from) + Number(count) - 1;
      if (Number(from) <= last && to >= first) throw rangeError(`subordinate IDs of ${name} (${from} to ${to})`);
    }
  }

  /** Tests the access as the user, because a parent folder may be closed. */
  async #requireAccess({ uid, gid, workdir }: Pick<RunUser, 'uid' | 'gid' | 'workdir'>): Promise<void> {
    const as = { uid, gid, cwd: '/', env: {}, timeout: TEST_TIMEOUT_MS };
    const canRun = (test: string, path: string) =>
      run('/bin/sh', ['-c', test, path], as).then(
        () => true,
        () => false,
      );
    const { TMPDIR } = this.#deps.env;
    const closed = 'make the folders above it accessible to all (chmod o+x)';
    if (!(await canRun('cd "$0"', workdir)))
      throw runAsUnusable(`the user ${uid} cannot enter the folder ${workdir}; ${closed}`);
    if (!(await canRun('cd "$0"', TMPDIR || tmpdir())))
      throw runAsUnusable(`the user ${uid} cannot enter the folder ${TMPDIR || tmpdir()} (TMPDIR); ${closed}`);
    if (!(await canRun('test -x "$0"', this.#deps.node)))
      throw runAsUnusable(`the user ${uid} cannot start ${this.#deps.node}; ${closed}`);
  }

  /**
   * Returns the user of a project. Throws an error that says what to do when all users of the range belong to other
   * projects.
   */
  of(project_id: string): Promise<RunUser> {
    // All projects share one user.
    const key = 'user' in this.#run_as ? '' : project_id;
    const known = this.#users_by_project.get(key);
    if (known) return known;
    const made = this.#find(project_id).catch((error) => {
      // The next program tries again, because the cause may have been fixed by then.
      this.#users_by_project.delete(key);
      throw error;
    });
    this.#users_by_project.set(key, made);
    return made;
  }

  /**
   * Returns the same user with a folder for temporary files of its own inside the agent's, which is removed with it.
   * All users of the machine could read what a program writes to the shared `TMPDIR`.
   */
  async forRuntime(project_id: string, runtime_dir: string): Promise<RunUser> {
    const user = await this.of(project_id);
    if ('user' in this.#run_as) return user;
    const folder = join(runtime_dir, `tmp-${user.uid}`);
    const made =
      this.#temporary.get(folder) ??
      createUserFolder(folder, user.uid).catch((error) => {
        // The next program tries again here too.
        this.#temporary.delete(folder);
        throw error;
      });
    this.#temporary.set(folder, made);
    return { ...user, tmp: await made };
  }

  async #find(project_id: string): Promise<RunUser> {
    if ('user' in this.#run_as) return await this.#named(this.#run_as.user);
    const uid = await this.#choose(project_id, this.#run_as);
    const home = await createUserFolder(join(this.#homesFolder(), String(uid)), uid);
    const { SVC_AGENT_WORKDIR: given } = this.#deps.env;
    const workdir = given ? await createUserFolder(join(resolve(given), String(uid)), uid) : home;
    return { uid, gid: uid, home, workdir };
  }

  /**
   * Chooses the first free user, starting at an offset that depends on the project alone. Agents that do this at the
   * same time reach the same result.
   */
  async #choose(project_id: string, { first, last }: Extract<RunAs, { first: number }>): Promise<number> {
    const count = last - first + 1;
    const start = createHash('sha256').update(project_id).digest().readUIntBE(0, 6) % count;
    for (let nth = 0; nth < count; nth += 1) {
      const uid = first + ((start + nth) % count);
      if ((await this.#claim(uid, project_id)) === project_id) return uid;
    }
    throw new Error(
      `all ${count} users in SVC_AGENT_RUN_AS=${first}-${last} belong to other projects; widen the range, or remove deleted projects' files from ${this.#claimsFolder()}, and everything that their users own`,
    );
  }

  /** Claims a uid and returns the project that owns it: this one, unless another claimed it before. */
  async #claim(uid: number, project_id: string): Promise<string> {
    const file = join(this.#claimsFolder(), String(uid));
    const owner = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (owner !== undefined) return owner;
    const draft = `${file}.${this.#deps.ids.bytes(6).toString('hex')}`;
    await writeFile(draft, project_id, { mode: 0o600, flag: 'wx', flush: true });
    try {
      // A link creates the file complete or not at all, and only one of several agents succeeds.
      await link(draft, file);
      return project_id;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return await readFile(file, 'utf8');
    } finally {
      await rm(draft, { force: true });
    }
  }

  async #named(user: string): Promise<RunUser> {
    const account =
      (await this.#accounts()).find(({ name, uid }) => name === user || String(uid) === user) ??
      (await findDirectoryAccount(user));
    if (!account) throw runAsUnusable(`SVC_AGENT_RUN_AS is "${user}", but this machine has no such user`);
    const { uid, gid, name, home } = account;
    if (uid === 0) throw runAsUnusable(`SVC_AGENT_RUN_AS is "${user}", which is root`);
    const workdir = resolve(this.#deps.env.SVC_AGENT_WORKDIR || home || '/');
    return { uid, gid, name, home: home || '/', workdir };
  }

  async #accounts(): Promise<Account[]> {
    const text = this.#deps.passwd ?? (await readFile('/etc/passwd', 'utf8').catch(() => ''));
    return text.split('\n').flatMap(parseAccount);
  }

  #claimsFolder = (): string => join(this.#state, 'users');
  #homesFolder = (): string => join(this.#state, 'homes');

  async #createStateFolder(folder: string): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o711 });
    } catch (error) {
      throw runAsUnusable(
        `${folder} cannot be created (${(error as NodeJS.ErrnoException).code}); choose another folder with SVC_AGENT_STATE`,
      );
    }
    await requireRootFolder(folder, 'SVC_AGENT_STATE');
  }
}

interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

function parseAccount(line: string): Account[] {
  const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
  return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid), home }] : [];
}

/** Looks an account up in a directory service. */
async function findDirectoryAccount(user: string): Promise<Account | undefined> {
  try {
    const { stdout } = await run('getent', ['passwd', user], { timeout: 10_000 });
    return parseAccount(stdout.split('\n')[0]!)[0];
  } catch {
    return undefined; // There is no such user, or no such program.
  }
}

/** Requires a folder that only root can write to, because others could replace what root creates there by a link. */
async function requireRootFolder(folder: string, variable: string): Promise<void> {
  const stats = await lstat(folder);
  if (stats.isDirectory() && stats.uid === 0 && (stats.mode & OTHERS_WRITE) === 0) return;
  throw runAsUnusable(
    `${folder} (${variable}) must be a folder that only root can write to, because it contains the folders of projects`,
  );
}

/** Creates a folder of this user inside a folder of root. */
async function createUserFolder(folder: string, uid: number): Promise<string> {
  try {
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, uid, uid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const stats = await lstat(folder);
    // An agent may have been killed between creating the folder and changing its owner.
    if (stats.isDirectory() && stats.uid === 0) await chown(folder, uid, uid);
    else if (!stats.isDirectory() || stats.uid !== uid)
      throw new Error(`${folder} belongs to the user ${stats.uid}, not to ${uid}; remove it, or give it to that user`);
  }
  return await realpath(folder);
}
