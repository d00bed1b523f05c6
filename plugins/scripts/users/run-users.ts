import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, link, lstat, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Ids } from '../../../kernel/contracts/index.ts';
import { type RunAs, readRunAs } from '../../agents/contract.ts';
import type { AgentEnvironment } from '../domain/environment.ts';
import { runAsUnusable } from '../errors.ts';
import type { UserIds } from '../native/frames.ts';

const run = promisify(execFile);

/** Whose processes the trusted programs of one project are. */
export interface RunUser extends UserIds {
  /** Absent for a number without an account. */
  name?: string;
  home: string;
  /** Where its programs begin. */
  workdir: string;
  /** The folder for temporary files of its programs; absent: that of the agent. */
  tmp?: string;
}

export interface RunUsersParts {
  env: AgentEnvironment;
  ids: Pick<Ids, 'bytes'>;
  /** The Node.js that runs scripts. */
  node: string;
  /** The accounts of this machine; by default its own file. */
  passwd?: string;
  /** Its groups. */
  group?: string;
  /** The numbers that its users may take in namespaces of their own. */
  subid?: string;
}

const STATE = '/var/lib/svc';
const TRIAL_MS = 10_000;
const OTHERS_WRITE = 0o022;

/**
 * The users of `SVC_AGENT_RUN_AS`. A range has one for each project: chosen at the first program of the project and kept in the
 * folder `SVC_AGENT_STATE` of the machine, so that all agents of the machine give it the same, for ever. What a project has left
 * behind is then never another one's.
 */
export class RunUsers {
  readonly #parts: RunUsersParts;
  readonly #run_as: RunAs;
  readonly #state: string;
  readonly #known = new Map<string, Promise<RunUser>>();
  readonly #temporary = new Map<string, Promise<string>>();

  /** Undefined where programs are the agent's. Throws `run_as_unusable`. */
  static of(parts: RunUsersParts): RunUsers | undefined {
    const run_as = readRunAs(parts.env.SVC_AGENT_RUN_AS);
    if (run_as !== undefined && 'fault' in run_as) throw runAsUnusable(run_as.fault);
    return run_as && new RunUsers(parts, run_as);
  }

  private constructor(parts: RunUsersParts, run_as: RunAs) {
    this.#parts = parts;
    this.#run_as = run_as;
    this.#state = resolve(parts.env.SVC_AGENT_STATE || STATE);
  }

  /** Throws `run_as_unusable` when this machine cannot do what the settings say. */
  async check(): Promise<void> {
    if ('user' in this.#run_as) return await this.#mustReach(await this.#named(this.#run_as.user));
    const { first, last } = this.#run_as;
    const accounts = (await this.#accounts()).filter(({ uid }) => uid >= first && uid <= last);
    if (accounts.length > 0)
      throw runAsUnusable(
        `the range of SVC_AGENT_RUN_AS has the user ${accounts[0]!.name} (${accounts[0]!.uid}) of this machine in it; take numbers without an account`,
      );
    await this.#mustBeFree(first, last);
    for (const folder of [this.#state, this.#places(), this.#homes()]) await this.#makeOwn(folder);
    const { SVC_AGENT_WORKDIR: given } = this.#parts.env;
    if (given) await mustBeOwn(resolve(given), 'SVC_AGENT_WORKDIR');
    await this.#mustReach({ uid: first, gid: first, workdir: resolve(given || this.#homes()) });
  }

  /**
   * The programs of a project have its number as their group as well. And whoever has a number as a subordinate one (subuid) makes
   * itself that user in a namespace of its own.
   */
  async #mustBeFree(first: number, last: number): Promise<void> {
    const linesOf = async (given: string | undefined, files: readonly string[]) => {
      const texts = files.map((file) => readFile(file, 'utf8').catch(() => ''));
      return (given ?? (await Promise.all(texts)).join('\n')).split('\n').map((line) => line.split(':'));
    };
    const refused = (what: string) =>
      runAsUnusable(`the range of SVC_AGENT_RUN_AS has ${what} of this machine in it; take numbers that nobody has`);
    for (const [name, , gid = ''] of await linesOf(this.#parts.group, ['/etc/group']))
      if (/^\d+$/.test(gid) && Number(gid) >= first && Number(gid) <= last) throw refused(`the group ${name} (${gid})`);
    for (const [name, from = '', count = ''] of await linesOf(this.#parts.subid, ['/etc/subuid', '/etc/subgid'])) {
      if (!/^\d+$/.test(from) || !/^\d+$/.test(count)) continue;
      const to = Number(from) + Number(count) - 1;
      if (Number(from) <= last && to >= first) throw refused(`subordinate numbers of ${name} (${from} to ${to})`);
    }
  }

  /** Tried as the user, because a folder above may be closed. */
  async #mustReach({ uid, gid, workdir }: Pick<RunUser, 'uid' | 'gid' | 'workdir'>): Promise<void> {
    const as = { uid, gid, cwd: '/', env: {}, timeout: TRIAL_MS };
    const may = (test: string, path: string) =>
      run('/bin/sh', ['-c', test, path], as).then(
        () => true,
        () => false,
      );
    const { TMPDIR } = this.#parts.env;
    const closed = 'make the folders above it accessible to all (chmod o+x)';
    if (!(await may('cd "$0"', workdir)))
      throw runAsUnusable(`the user ${uid} cannot enter the folder ${workdir}; ${closed}`);
    if (!(await may('cd "$0"', TMPDIR || tmpdir())))
      throw runAsUnusable(`the user ${uid} cannot enter the folder ${TMPDIR || tmpdir()} (TMPDIR); ${closed}`);
    if (!(await may('test -x "$0"', this.#parts.node)))
      throw runAsUnusable(`the user ${uid} cannot start ${this.#parts.node}; ${closed}`);
  }

  /** Throws an error that says what to do when all users of the range belong to other projects. */
  of(project_id: string): Promise<RunUser> {
    // One user for all.
    const key = 'user' in this.#run_as ? '' : project_id;
    const known = this.#known.get(key);
    if (known) return known;
    const made = this.#find(project_id).catch((error) => {
      // The next program tries again: the cause may be mended by then.
      this.#known.delete(key);
      throw error;
    });
    this.#known.set(key, made);
    return made;
  }

  /**
   * The same. The user of a project has a folder for temporary files in this one of the agent, with which it is removed: what a
   * program writes to `TMPDIR` all users of the machine could read.
   */
  async at(project_id: string, runtime_dir: string): Promise<RunUser> {
    const user = await this.of(project_id);
    if ('user' in this.#run_as) return user;
    const folder = join(runtime_dir, `tmp-${user.uid}`);
    const made =
      this.#temporary.get(folder) ??
      makeFor(folder, user.uid).catch((error) => {
        // As above.
        this.#temporary.delete(folder);
        throw error;
      });
    this.#temporary.set(folder, made);
    return { ...user, tmp: await made };
  }

  async #find(project_id: string): Promise<RunUser> {
    if ('user' in this.#run_as) return await this.#named(this.#run_as.user);
    const uid = await this.#choose(project_id, this.#run_as);
    const home = await makeFor(join(this.#homes(), String(uid)), uid);
    const { SVC_AGENT_WORKDIR: given } = this.#parts.env;
    const workdir = given ? await makeFor(join(resolve(given), String(uid)), uid) : home;
    return { uid, gid: uid, home, workdir };
  }

  /** The first free one from a place on that depends on the project alone. Agents that do this at once agree. */
  async #choose(project_id: string, { first, last }: Extract<RunAs, { first: number }>): Promise<number> {
    const count = last - first + 1;
    const start = createHash('sha256').update(project_id).digest().readUIntBE(0, 6) % count;
    for (let nth = 0; nth < count; nth += 1) {
      const uid = first + ((start + nth) % count);
      if ((await this.#claim(uid, project_id)) === project_id) return uid;
    }
    throw new Error(
      `all ${count} users of SVC_AGENT_RUN_AS=${first}-${last} belong to other projects; widen the range, or remove files of projects that are gone from ${this.#places()} together with what these users own`,
    );
  }

  /** Answers whose it is: this project's, unless another one had it before. */
  async #claim(uid: number, project_id: string): Promise<string> {
    const file = join(this.#places(), String(uid));
    const owner = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (owner !== undefined) return owner;
    const draft = `${file}.${this.#parts.ids.bytes(6).toString('hex')}`;
    await writeFile(draft, project_id, { mode: 0o600, flag: 'wx', flush: true });
    try {
      // Whole, or not at all; only one of several comes first.
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
      (await elsewhere(user));
    if (!account) throw runAsUnusable(`SVC_AGENT_RUN_AS is "${user}", and this machine has no such user`);
    const { uid, gid, name, home } = account;
    if (uid === 0) throw runAsUnusable(`SVC_AGENT_RUN_AS is "${user}", which is root`);
    const workdir = resolve(this.#parts.env.SVC_AGENT_WORKDIR || home || '/');
    return { uid, gid, name, home: home || '/', workdir };
  }

  async #accounts(): Promise<Account[]> {
    const text = this.#parts.passwd ?? (await readFile('/etc/passwd', 'utf8').catch(() => ''));
    return text.split('\n').flatMap(accountOf);
  }

  #places = (): string => join(this.#state, 'users');
  #homes = (): string => join(this.#state, 'homes');

  async #makeOwn(folder: string): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o711 });
    } catch (error) {
      throw runAsUnusable(
        `${folder} cannot be made (${(error as NodeJS.ErrnoException).code}); name another folder with SVC_AGENT_STATE`,
      );
    }
    await mustBeOwn(folder, 'SVC_AGENT_STATE');
  }
}

interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

function accountOf(line: string): Account[] {
  const [name = '', , uid = '', gid = '', , home = ''] = line.split(':');
  return /^\d+$/.test(uid) && /^\d+$/.test(gid) ? [{ name, uid: Number(uid), gid: Number(gid), home }] : [];
}

/** Accounts of a directory service. */
async function elsewhere(user: string): Promise<Account | undefined> {
  try {
    const { stdout } = await run('getent', ['passwd', user], { timeout: 10_000 });
    return accountOf(stdout.split('\n')[0]!)[0];
  } catch {
    return undefined; // There is no such user, or no such program.
  }
}

/** What root makes and gives away in a folder that others write to could be exchanged for a link meanwhile. */
async function mustBeOwn(folder: string, variable: string): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === 0 && (found.mode & OTHERS_WRITE) === 0) return;
  throw runAsUnusable(
    `${folder} (${variable}) is to be a folder of root that nobody else can write to, because folders of projects are made in it`,
  );
}

/** A folder of this user, in one of root. */
async function makeFor(folder: string, uid: number): Promise<string> {
  try {
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, uid, uid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = await lstat(folder);
    // An agent may have been killed between the two.
    if (found.isDirectory() && found.uid === 0) await chown(folder, uid, uid);
    else if (!found.isDirectory() || found.uid !== uid)
      throw new Error(`${folder} belongs to the user ${found.uid}, not to ${uid}; remove it, or give it to that user`);
  }
  return await realpath(folder);
}
