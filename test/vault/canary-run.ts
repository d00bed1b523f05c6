import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../features/support/process.ts';
import { type OwnTarget, startTarget, type Target } from '../../features/support/target.ts';
import { type CanarySet, makeCanaries, needlesOf } from './canaries.ts';
import { hits, type Scan, scanFolder, scanMysql, scanProcesses } from './scan.ts';

export interface CanaryPlan {
  /** At how many places each form is cut, over its length; enough for every byte of most. */
  cuts: number;
  database_url?: string;
}

export interface CanaryResult {
  hits: string[];
  /** Forms that were said, processes, files and answers that were looked at. */
  said: number;
  /** Environments of script processes in which canaries were found, as they must be. */
  held: number;
  looked: { processes: number; files: number; answers: number; bytes: number };
  /** How often the log shows a mask. */
  masks: number;
  statuses: string[];
}

const SCOPED = '/api/v1/orgs/conformance/projects/main';

/** Plants canaries, has two runs say them in every way, and looks for them everywhere. */
export async function canaryRun(plan: CanaryPlan): Promise<CanaryResult> {
  const target = await startTarget({
    agents: 0,
    // On a slow machine a shorter lease is lost, and the second pass would be a prepared interpreter's.
    env: { SVC_LOG_LEVEL: 'debug', SVC_LEASE_MS: '60000' },
    ...(plan.database_url ? { database_url: plan.database_url } : {}),
  });
  try {
    return await new CanaryHunt(target, target.own!, plan).run();
  } finally {
    await target.close();
  }
}

class CanaryHunt {
  readonly #target: Target;
  readonly #own: OwnTarget;
  readonly #plan: CanaryPlan;
  readonly #canaries: CanarySet = makeCanaries();
  readonly #needles = needlesOf(this.#canaries);
  readonly #result: CanaryResult = {
    hits: [],
    said: 0,
    held: 0,
    looked: { processes: 0, files: 0, answers: 0, bytes: 0 },
    masks: 0,
    statuses: [],
  };

  constructor(target: Target, own: OwnTarget, plan: CanaryPlan) {
    this.#target = target;
    this.#own = own;
    this.#plan = plan;
  }

  async run(): Promise<CanaryResult> {
    const temporary = join(this.#own.folder, 'tmp');
    await mkdir(temporary);
    await this.#own.startAgent('canary', { env: { TMPDIR: temporary, SVC_LOG_LEVEL: 'debug' } });
    for (const { plant } of this.#canaries.all) await this.#ask('PUT', `${SCOPED}/${plant.path}`, plant.body);
    for (const end of ['succeed', 'fail']) await this.#oneRun(end);
    await this.#everyAnswer();
    for (const service of [this.#own.server, ...this.#own.agents]) {
      this.#look('log of a process', Buffer.from(service.log));
      await service.kill('SIGTERM');
    }
    this.#took('files', await scanFolder(this.#own.folder, this.#needles));
    if (this.#plan.database_url) this.#took('files', await scanMysql(this.#plan.database_url, this.#needles));
    return this.#result;
  }

  async #oneRun(end: string): Promise<void> {
    const gate = join(this.#own.folder, `gate-${end}`);
    await promisify(execFile)('mkfifo', [gate]);
    const names = this.#canaries.all.map(({ variable }) => variable).join(',');
    const source = await readFile(join(import.meta.dirname, 'program.py'), 'utf8');
    const env = { CANARIES: names, CUTS: String(this.#plan.cuts), GATE: gate, END: end };
    const { credentials } = this.#canaries;
    const made = await this.#ask('POST', `${SCOPED}/runs`, { filename: 'program.py', source, env, credentials });
    const { run_id } = JSON.parse(made) as { run_id: string };
    // Twice: the pass that waits for the signal, and the one that goes on with it.
    await this.#atGate(gate, run_id);
    // A signal that is there already would end the wait at once, and there would be no second pass.
    await this.#reaches(run_id, ['waiting']);
    await this.#ask('POST', `${SCOPED}/runs/${run_id}/signals/go`, {});
    await this.#atGate(gate, run_id);
    const status = await this.#reaches(run_id, ['succeeded', 'failed']);
    this.#result.statuses.push(status);
    await this.#runAnswers(run_id);
  }

  #reaches(run_id: string, statuses: readonly string[]): Promise<string> {
    return until(`run ${run_id} to be ${statuses.join(' or ')}`, 120_000, async () => {
      const { status } = JSON.parse(await this.#ask('GET', `${SCOPED}/runs/${run_id}`)) as { status: string };
      return statuses.includes(status) ? status : undefined;
    });
  }

  /** While the script stands there, with everything said and nothing over: processes and files. */
  async #atGate(gate: string, run_id: string): Promise<void> {
    const pipe = await until('the script at its gate', 120_000, async () => {
      const run = await this.#ask('GET', `${SCOPED}/runs/${run_id}`);
      if (/"status":"(failed|succeeded)"/.test(run))
        throw new Error(`the run ended before its gate: ${run.slice(0, 4000)}`);
      return open(gate, constants.O_WRONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENXIO') return undefined; // Nobody reads yet.
        throw error;
      });
    });
    const roots = [this.#own.server, ...this.#own.agents].map(({ child }) => child.pid!);
    this.#took('processes', await scanProcesses(roots, this.#needles));
    this.#took('files', await scanFolder(this.#own.folder, this.#needles));
    await pipe.close();
  }

  async #runAnswers(run_id: string): Promise<void> {
    const log = await this.#ask('GET', `${SCOPED}/runs/${run_id}/logs`);
    this.#result.masks += log.split('***').length - 1;
    for (const [, count] of log.matchAll(/^said (\d+)$/gm)) this.#result.said += Number(count);
    const live = await this.#ask('GET', `${SCOPED}/runs/${run_id}/logs?follow=true`);
    const data = [...live.matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text!) as { data?: string });
    this.#look('live log', Buffer.concat(data.map((event) => Buffer.from(event.data ?? '', 'base64'))));
    for (let cursor = ''; ; ) {
      const page = JSON.parse(await this.#ask('GET', `${SCOPED}/runs/${run_id}/steps?limit=20${cursor}`));
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }

  async #everyAnswer(): Promise<void> {
    const scoped = ['runs', 'summary', 'secrets', 'credentials', 'audit', 'credentials/cred-basic/uses'];
    for (const path of scoped) await this.#ask('GET', `${SCOPED}/${path}`);
    for (const path of ['/api/v1/agents', '/api/v1/openapi.json', '/healthz', '/readyz', '/metrics', '/api/v1/tokens'])
      await this.#ask('GET', path);
  }

  /** Every answer is looked at, whatever it was asked for. */
  async #ask(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${this.#target.base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#target.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    this.#look(`${method} ${path}`, Buffer.from(text));
    this.#result.looked.answers += 1;
    return text;
  }

  #look(what: string, data: Buffer): void {
    this.#result.hits.push(...hits(what, data, this.#needles));
    this.#result.looked.bytes += data.length;
  }

  #took(kind: 'processes' | 'files', scan: Scan): void {
    this.#result.hits.push(...scan.hits);
    this.#result.held += scan.expected ?? 0;
    this.#result.looked[kind] += scan.files;
    this.#result.looked.bytes += scan.bytes;
  }
}
