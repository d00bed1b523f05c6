import { createHmac } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Service, until } from '../../features/support/process.ts';
import { homeFolder } from '../../features/support/home.ts';

export const clone = resolve(import.meta.dirname, '../..');
export const recordings = join(import.meta.dirname, 'recorded');

/** What was left behind by a version, beside its database `<version>.db.gz`. */
export interface Recording {
  version: string;
  /** Content of `.svc/master.key`. */
  master_key: string;
  token: string;
  /** Runs that wait, by what they wait for, and one that has ended. */
  runs: Record<'signal' | 'holder' | 'queued' | 'event' | 'ended', string>;
  /** Paths and secrets of deliveries from outside. */
  hook: { path: string; secret: string };
  webhook: { path: string; secret: string };
}

/** `svc dev` in a folder of its own. */
export class Installation {
  readonly folder: string;
  #service: Service | undefined;
  #url = '';
  token = '';

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<Installation> {
    return new Installation(await homeFolder('svc-upgrade-'));
  }

  async start(): Promise<void> {
    const { PATH = '', LANG = 'C.UTF-8' } = process.env;
    const env = { PATH, LANG, HOME: this.folder, TMPDIR: tmpdir(), SVC_PORT: '0', SVC_AGENT_WARM: 'off' };
    this.#service = new Service(join(clone, 'cli/svc'), ['dev'], { env, cwd: this.folder });
    const [, url = ''] = await this.#service.says(/svc dev is ready: (\S+)/, 60_000);
    this.#url = url;
    const profile = JSON.parse(await readFile(join(this.folder, '.svc/profile.json'), 'utf8')) as { token: string };
    this.token = profile.token;
  }

  async stop(): Promise<void> {
    await this.#service?.kill('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** A request that must succeed: below the project when the path does not begin with a slash. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const where = path.startsWith('/') ? path : `/api/v1/orgs/dev/projects/main/${path}`;
    return this.#answer(
      method,
      where,
      { authorization: `Bearer ${this.token}` },
      body === undefined ? body : JSON.stringify(body),
    );
  }

  /** A delivery of an event hook. */
  deliver({ path, secret }: Recording['hook'], body: string) {
    return this.#answer('POST', path, { 'x-svc-hook-secret': secret }, body);
  }

  /** A push that a forge delivers. */
  push({ path, secret }: Recording['webhook'], sha: string) {
    const body = JSON.stringify({
      ...{ ref: 'refs/heads/main', after: sha, forced: false, commits: [] },
      ...{ repository: { full_name: 'acme/site' }, sender: { login: 'ana' } },
    });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'x-github-event': 'push',
      'x-github-delivery': sha,
      'x-hub-signature-256': `sha256=${signature}`,
    };
    return this.#answer('POST', path, headers, body);
  }

  /** The run once it has this status. */
  reaches(run_id: string, status: string) {
    return until(`${run_id} to be ${status}`, 60_000, async () => {
      const run = await this.call('GET', `runs/${run_id}`);
      if (run.status === 'failed') throw new Error(JSON.stringify(run));
      return run.status === status ? run : undefined;
    });
  }

  async #answer(method: string, path: string, headers: Record<string, string>, body: string | undefined) {
    const response = await fetch(`${this.#url}${path}`, {
      ...{ method, body: body ?? null },
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
