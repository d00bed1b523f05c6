import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clone } from '../../features/support/target.ts';
import { until } from '../../features/support/process.ts';
import { boot } from '../../kernel/boot/index.ts';
import { Clock } from '../../kernel/contracts/index.ts';
import { Bootstrap } from '../../plugins/security/access/contract.ts';
import { systemClock } from '../kit/index.ts';
import { homeFolder } from '../../features/support/home.ts';

/** A clock that can be put forward; spans and timers are real. */
class ForwardClock implements Clock {
  #ahead_ms = 0;

  now = (): number => systemClock.now() + this.#ahead_ms;
  monotonic = systemClock.monotonic;
  after = systemClock.after;

  forward(ms: number): void {
    this.#ahead_ms += ms;
  }
}

const DAY_MS = 86_400_000;

/** Mails that are out after so many days. */
export interface Seen {
  day: number;
  mails: string[];
  status: string;
}

/** Runs the campaign with its pauses of three days, on a clock that is put forward day by day. */
export async function dripByDays(days: number): Promise<Seen[]> {
  const folder = await homeFolder('svc-days-');
  const clock = new ForwardClock();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    SVC_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_LOG_LEVEL: 'silent',
  };
  const settings = { database_url: `sqlite:${join(folder, 'svc.db')}`, home: folder, port: 0 };
  const kernel = await boot({ role: 'dev', env, settings, replace: [[Clock, () => clock]] });
  try {
    const { token } = await kernel.use(Bootstrap).ensure({ user: 'ann', org: 'acme', project: 'mail' });
    const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const answer = await fetch(`${kernel.base_url()}/api/v1/orgs/acme/projects/mail${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    };
    const outbox = join(folder, 'outbox');
    const source = await readFile(join(clone, 'features/examples/drip/drip.sh'), 'utf8');
    const { run_id } = await ask<{ run_id: string }>('POST', '/runs', {
      filename: 'drip.sh',
      source,
      env: { OUTBOX: outbox },
    });
    const seen: Seen[] = [];
    for (let day = 0; day <= days; day += 1) {
      if (day > 0) clock.forward(DAY_MS);
      const status = await until(`day ${day} to be quiet`, 30_000, async () => {
        const run = await ask<{ status: string; substate?: { deadline: string } }>('GET', `/runs/${run_id}`);
        const waits = run.status === 'waiting' && Date.parse(run.substate?.deadline ?? '') > clock.now();
        return waits || run.status === 'succeeded' || run.status === 'failed' ? run.status : undefined;
      });
      const mails = (await readFile(outbox, 'utf8')).trim().split('\n');
      seen.push({ day, mails: mails.map((mail) => mail.split(' ')[1]!), status });
    }
    return seen;
  } finally {
    await kernel.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
