import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setWorldConstructor, World } from '@cucumber/cucumber';
import { preparedDatabase } from './prepared.ts';
import { type Finished, runToEnd, type Service, until } from './process.ts';
import { type OwnTarget, startTarget, svcProgram, type Target, type TargetOptions } from './target.ts';
import { compiledCode, homeFolder } from './home.ts';
import { type Machine, OwnMachine } from './machine.ts';
import { reach } from './reach.ts';
import { ProbedMachine } from './probed-machine.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: () => unknown;
}

export interface RunView {
  run_id: string;
  status: string;
  substate?: { kind: string; name: string; since: string; deadline?: string; run_id?: string } | null;
  trigger: Record<string, unknown>;
  output?: unknown;
  error?: { code: string; message: string } | null;
  annotations: string[];
  [field: string]: unknown;
}

export interface StepView {
  position: number;
  kind: string;
  name: string;
  ordinal: number;
  site: string;
  label?: string;
  status: string;
  exit_code?: number;
  stdout?: string;
  message?: string;
  deadline?: string;
  started_at: string;
  recorded_at?: string;
  running?: { attempt?: number };
  child?: { running?: { attempt?: number } };
}

const MOMENT_MS = 10_000;

const TERMINAL = ['succeeded', 'failed', 'cancelled'];

export const scenarioFolder = (): Promise<string> => homeFolder('svc-scenario-');

/** What one scenario knows. Everything is seen from outside: HTTP, CLI, scripts. */
export class SvcWorld extends World {
  /** Shared by the worker's scenarios; a scenario with a target of its own replaces it. */
  target!: Target;
  /** Set when the scenario started its own target. */
  privateTarget: Target | undefined;
  /** Of the scenario, its rule and its feature. */
  tags: readonly string[] = [];
  project = '';
  /** Here, and on the machine of the agents. */
  folder = '';
  machine: Machine = new OwnMachine();
  /** Has a text with the folder's path left the scenario, so that scripts may use it? */
  #named = false;
  run_id = '';
  /** Every run this scenario made, by the name it gave it. */
  readonly runs = new Map<string, string>();
  readonly notes = new Map<string, string>();
  /** Processes that steps started, by name; they die with the scenario. */
  readonly services = new Map<string, Service>();
  /** Answers of calls that were sent side by side, and the entries of a list's pages. */
  answers: Answer[] = [];
  pages: unknown[][] = [];
  /** A request that was begun. */
  begun: Promise<Answer> | undefined;
  /** False before a step that this run passes over. */
  looks = true;
  readonly cleanups: (() => Promise<void>)[] = [];
  /** The last CLI call and the last HTTP answer; `checked` turns true when a step looks at an error. */
  cli: (Finished & { checked: boolean }) | undefined;
  answer: (Answer & { checked: boolean }) | undefined;

  get scoped(): string {
    return `/api/v1/orgs/${this.target.org}/projects/${this.project}`;
  }

  async open(target: Target): Promise<void> {
    this.folder ||= await scenarioFolder();
    // Agents of the scenario's own work on this machine.
    if (target.probe && !this.tags.includes('@own-agent')) this.machine = new ProbedMachine(target.probe, this.folder);
    await this.moveTo(target);
  }

  /** A target of this scenario alone. Another one that it has already would never end, and the test run with it. */
  async startOwn(options: Omit<TargetOptions, 'database_url' | 'bootstrapped'> = {}): Promise<OwnTarget> {
    if (!this.tags.some((tag) => ['@own-server', '@public-url'].includes(tag)))
      throw new Error('the scenario needs the tag @own-server');
    if (this.privateTarget) throw new Error('the scenario has a server of its own already; tag it @configured');
    const { url, drop, ...bootstrapped } = await preparedDatabase(this.folder);
    this.cleanups.push(drop);
    this.privateTarget = await startTarget({ ...options, database_url: url, bootstrapped });
    return this.privateTarget.own!;
  }

  /** From here on everything happens there, in a new project. */
  async moveTo(target: Target): Promise<void> {
    this.target = target;
    this.project = `p-${randomBytes(6).toString('hex')}`;
    const made = await this.call('PUT', `/api/v1/orgs/${target.org}/projects/${this.project}`, {});
    if (made.status !== 201) throw new Error(`no project for the scenario: ${made.status} ${made.text}`);
  }

  async dispose(): Promise<void> {
    for (const service of this.services.values()) await service.kill('SIGKILL');
    for (const clean of this.cleanups.reverse()) await clean();
    this.machine.leave();
    if (this.folder !== '') await rm(this.folder, { recursive: true, force: true });
  }

  /** Writes a file of the scenario and answers its path. `{folder}` stands for the scenario's folder. */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.folder, name);
    await mkdir(dirname(path), { recursive: true });
    const text = this.expand(content);
    await writeFile(path, text);
    this.#names(text);
    return path;
  }

  /** Of the scenario, whoever wrote it: a script or a command line. Undefined where nothing is. */
  read(name: string): Promise<Buffer | undefined> {
    return this.machine.read(join(this.folder, name));
  }

  async readText(name: string): Promise<string> {
    const found = await this.read(name);
    if (found === undefined) throw new Error(`there is no file ${name}`);
    return found.toString();
  }

  /** A text leaves for the service: scripts that know the folder by it find the scenario's files there. */
  async sends(text: unknown): Promise<void> {
    this.#names(text);
    await this.bring();
  }

  /** Once scripts may know where they are. */
  async bring(): Promise<void> {
    if (this.#named) await this.machine.bring();
  }

  async makeGate(name: string): Promise<void> {
    this.#named = true;
    await this.bring();
    await this.machine.makeGate(join(this.folder, name));
  }

  #names(text: unknown): void {
    this.#named ||= typeof text === 'string' && text.includes(this.folder);
  }

  /** `{folder}`, `{run}`, `{project}`, `{org}`, `{base_url}`, `{me}`, `{here}` (this machine) and noted values, in any text of a step. */
  expand(text: string): string {
    const known: Record<string, string> = {
      folder: this.folder,
      run: this.run_id,
      project: this.project,
      org: this.target.org,
      base_url: this.target.base_url,
      me: this.target.user,
      here: reach().host,
      scoped: this.scoped,
      ...Object.fromEntries(this.notes),
    };
    return text.replace(/\{([a-z_]+)\}/g, (whole, name: string) => known[name] ?? whole);
  }

  /** An HTTP call that the scenario is about: an error must be checked by a later step. */
  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    this.refuseUnchecked();
    const answer = await this.call(method, path, body, headers);
    this.answer = Object.assign(answer, { checked: answer.status < 400 });
    return this.answer;
  }

  /** Sends a request whose answer comes later. */
  begin(method: string, path: string, body?: unknown): void {
    this.begun = this.call(method, path, body);
    // Whoever looks at the answer sees its failure.
    this.begun.catch(() => undefined);
  }

  /** An HTTP call of the scenario's machinery. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const sent = raw ? body : JSON.stringify(body);
    if (method !== 'GET') await this.sends(sent);
    const response = await fetch(`${this.target.base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.target.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent as string }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  }

  /** Of a command line that works in the scenario's project. */
  environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      ...compiledCode(),
      LANG: 'C.UTF-8',
      SVC_URL: this.target.base_url,
      SVC_TOKEN: this.target.token,
      SVC_ORG: this.target.org,
      SVC_PROJECT: this.project,
    };
  }

  async svc(
    args: readonly string[],
    options: { stdin?: string; env?: Record<string, string>; cwd?: string } = {},
  ): Promise<Finished> {
    this.refuseUnchecked();
    // A path alone is a file for the command itself; what is more is for scripts.
    for (const text of [...args.filter((one) => /\s/.test(one)), options.stdin]) await this.sends(text);
    const env = { ...this.environment(), ...options.env };
    const finished = await runToEnd(svcProgram, args, {
      env,
      cwd: options.cwd ?? this.folder,
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    });
    this.cli = { ...finished, checked: finished.exit === 0 };
    return finished;
  }

  /** What only a server of ours can show is left out as a whole elsewhere, by its tag: never from the middle on. */
  needs(tag: string): void {
    if (!this.tags.includes(tag) && !this.tags.includes('@own-server'))
      throw new Error(`the scenario needs the tag ${tag}`);
  }

  refuseUnchecked(): void {
    if (this.cli && !this.cli.checked)
      throw new Error(`a failed command was not looked at: exit ${this.cli.exit}\n${this.cli.stderr}`);
    if (this.answer && !this.answer.checked)
      throw new Error(`a refusal was not looked at: ${this.answer.status} ${this.answer.text}`);
  }

  /** Submits over HTTP and remembers the run. */
  async submit(body: Record<string, unknown>, name = 'it'): Promise<string> {
    const answer = await this.call('POST', `${this.scoped}/runs`, body);
    if (answer.status !== 201) throw new Error(`not submitted: ${answer.status} ${answer.text}`);
    return this.remember((answer.json() as { run_id: string }).run_id, name);
  }

  remember(run_id: string, name = 'it'): string {
    this.run_id = run_id;
    this.runs.set(name, run_id);
    return run_id;
  }

  async run(run_id = this.run_id): Promise<RunView> {
    const answer = await this.call('GET', `${this.scoped}/runs/${run_id}`);
    if (answer.status !== 200) throw new Error(`no run ${run_id}: ${answer.status} ${answer.text}`);
    return answer.json() as RunView;
  }

  async steps(run_id = this.run_id): Promise<StepView[]> {
    const steps: StepView[] = [];
    // A page holds less than its limit where outputs are large.
    for (let cursor = ''; ; ) {
      const answer = await this.call('GET', `${this.scoped}/runs/${run_id}/steps?limit=200${cursor}`);
      if (answer.status !== 200) throw new Error(`no steps of ${run_id}: ${answer.status} ${answer.text}`);
      const page = answer.json() as { steps: StepView[]; next_cursor?: string };
      steps.push(...page.steps);
      if (page.next_cursor === undefined) return steps;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
  }

  async logText(run_id = this.run_id): Promise<string> {
    const answer = await this.call('GET', `${this.scoped}/runs/${run_id}/logs`);
    // What a refusal lacks, the log may have.
    if (answer.status !== 200) throw new Error(`no log of ${run_id}: ${answer.status} ${answer.text}`);
    return answer.text;
  }

  /** Waits for a status; a run that ended otherwise fails at once, with its error and log. */
  async reaches(status: string, run_id = this.run_id, bound_ms = 30_000): Promise<RunView> {
    return until(`run ${run_id} to be ${status}`, bound_ms, async () => {
      const run = await this.run(run_id);
      if (run.status === status) return run;
      if (TERMINAL.includes(run.status))
        throw new Error(
          `the run is ${run.status}, not ${status}: ${JSON.stringify(run.error)}\n${await this.logText(run_id)}`,
        );
      return undefined;
    });
  }

  async ends(run_id = this.run_id, bound_ms = 30_000): Promise<RunView> {
    return until(`run ${run_id} to end`, bound_ms, async () => {
      const run = await this.run(run_id);
      return TERMINAL.includes(run.status) ? run : undefined;
    });
  }

  /** Runs of this project that have not ended. */
  /** The runs that are not over when the scenario is. One that a handler began a moment ago may still end by itself. */
  async leftBehind(): Promise<RunView[]> {
    for (const give_up = Date.now() + MOMENT_MS; ; await delay(50)) {
      const left = await this.unfinished();
      const reacts = left.length > 0 && left.every(({ trigger }) => trigger.handler !== undefined);
      if (!reacts || Date.now() > give_up) return left;
    }
  }

  async unfinished(): Promise<RunView[]> {
    const answer = await this.call('GET', `${this.scoped}/runs?limit=200`);
    if (answer.status !== 200) throw new Error(`no runs of the project: ${answer.status} ${answer.text}`);
    return (answer.json() as { runs: RunView[] }).runs.filter(({ status }) => !TERMINAL.includes(status));
  }
}

setWorldConstructor(SvcWorld);
