import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { svcProgram } from '../../features/support/target.ts';
import { boot } from '../../kernel/boot/index.ts';
import { isServiceError, Sealer } from '../../kernel/contracts/index.ts';
import { homeFolder } from '../../features/support/home.ts';

export interface RekeyPlan {
  /** Each has a key of its own and a value sealed with it. */
  orgs: number;
  /** How often `svc admin rekey` is killed; after five it may finish, and the next change begins. */
  kills: number;
  database_url?: string;
}

export interface RekeyResult {
  killed: number;
  /** Values that did not open after a kill, or at the end. */
  lost: string[];
  /** The first master key, and the last one with a bit flipped, start no server at the end. */
  refused: boolean;
}

/** Changes the master key again and again, killing the command at its failpoints, and opens everything in between. */
export async function rekeyRun(plan: RekeyPlan): Promise<RekeyResult> {
  const folder = await homeFolder('svc-rekey-');
  try {
    return await new RekeyTrial(plan, folder).run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const place = (org_id: string) => ({ org_id, project_id: 'prj', table: 'test', kind: 'test', name: 'n', field: 'f' });

class RekeyTrial {
  readonly #plan: RekeyPlan;
  readonly #folder: string;
  readonly #sealed = new Map<string, { blob: Buffer; value: string }>();
  #key = randomBytes(32).toString('base64');
  #next = randomBytes(32).toString('base64');
  #killed = 0;
  readonly #lost: string[] = [];

  constructor(plan: RekeyPlan, folder: string) {
    this.#plan = plan;
    this.#folder = folder;
  }

  async run(): Promise<RekeyResult> {
    const first = this.#key;
    await this.#withSealer(this.#key, async (sealer) => {
      for (let n = 0; n < this.#plan.orgs; n += 1) {
        const org_id = `org_${n}`;
        const value = randomBytes(20).toString('hex');
        await sealer.prepare(org_id);
        this.#sealed.set(org_id, { value, blob: sealer.seal(place(org_id), Buffer.from(value)) });
      }
    });
    while (this.#killed < this.#plan.kills) await this.#oneChange();
    const flipped = Buffer.from(this.#key, 'base64');
    flipped[17]! ^= 4;
    const refused = (await this.#refuses(first)) && (await this.#refuses(flipped.toString('base64')));
    return { killed: this.#killed, lost: this.#lost, refused };
  }

  async #oneChange(): Promise<void> {
    let finished = false;
    for (const point of this.#points().slice(0, this.#plan.kills - this.#killed)) {
      if (!(await this.#rekey(point))) break;
      this.#killed += 1;
      finished = point === 'vault.rekey.finished';
      await this.#openAll(finished ? this.#next : this.#key, point);
    }
    if (!finished) await this.#rekey('');
    await this.#openAll(this.#next, 'the end');
    [this.#key, this.#next] = [this.#next, randomBytes(32).toString('base64')];
  }

  /** In the order in which a change passes them; what was done before a kill is not done again. */
  #points(): string[] {
    const { orgs } = this.#plan;
    const within = 1 + Math.floor(Math.random() * Math.min(orgs, 100));
    const last = Math.random() < 0.5 ? 'finished' : 'finishing';
    return ['begun', `wrapping:${within}`, 'wrapped', 'finishing', last].map((point) => `vault.rekey.${point}`);
  }

  /** True when it was killed at the point, false when it came to its end. */
  async #rekey(point: string): Promise<boolean> {
    const file = join(this.#folder, 'next.key');
    await writeFile(file, this.#next, { mode: 0o600 });
    const env = { PATH: process.env.PATH ?? '', HOME: this.#folder, ...this.#env(this.#key), SVC_FAILPOINTS: point };
    const child = spawn(svcProgram, ['admin', 'rekey', '--key-file', file], { env, cwd: this.#folder });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    const [code, signal] = await once(child, 'close');
    // The launcher passes on how the program ended: by the signal itself, or as a shell says it.
    if (signal === 'SIGKILL' || code === 137) return true;
    if (code !== 0) throw new Error(`rekey ended with ${code}: ${said}`);
    return false;
  }

  async #openAll(key: string, when: string): Promise<void> {
    await this.#withSealer(key, async (sealer) => {
      for (const [org_id, { blob, value }] of this.#sealed) {
        try {
          await sealer.prepare(org_id);
          if (sealer.open(place(org_id), blob).toString() !== value) throw new Error('it is another value');
        } catch (error) {
          this.#lost.push(`${org_id} after ${when}: ${(error as Error).message}`);
        }
      }
    });
  }

  async #withSealer(key: string, work: (sealer: Sealer) => Promise<void>): Promise<void> {
    const kernel = await boot({ role: 'server', env: this.#env(key), settings: { home: this.#folder }, quiet: true });
    try {
      await work(kernel.use(Sealer));
    } finally {
      await kernel.stop();
    }
  }

  async #refuses(key: string): Promise<boolean> {
    try {
      await this.#withSealer(key, async () => undefined);
      return false;
    } catch (error) {
      return isServiceError(error, 'master_key_wrong') || /master_key_wrong|master key/.test(String(error));
    }
  }

  #env(key: string): Record<string, string> {
    const url = this.#plan.database_url ?? `sqlite:${join(this.#folder, 'svc.db')}`;
    return { SVC_DATABASE_URL: url, SVC_MASTER_KEY: key, SVC_LOG_LEVEL: 'silent', SVC_PORT: '0' };
  }
}
