import { createHash } from 'node:crypto';
import { Database } from '../../kernel/contracts/index.ts';
import { Activities, type Claimed, type JournalRecord, type RunStore } from '../../plugins/engine/runs/contract.ts';
import { Sealer } from '../../kernel/contracts/index.ts';
import { writeAnswer } from '../../plugins/execution/asks/store/asks.ts';
import { CredentialNames } from '../../plugins/secrets/credentials/contract.ts';
import { RunStore as Store } from '../../plugins/engine/runs/contract.ts';
import { ask, type TestServer, StandInAgent } from '../kit/index.ts';

/** How many there are of everything, and the bytes of each that is large: a list that reads them all is found out. */
const MANY = 4;
const LARGE = 100 * 1024;
/** A page of runs may read more than the outputs of `MANY` runs that are only large. */
const LARGE_OUTPUT = 10 * LARGE;
const LINE = 'x'.repeat(250);

const text = (bytes: number, mark: string | number = ''): string => `${mark} ${'x'.repeat(bytes)}`;
const program = (mark: number): string => `#!/bin/sh\n# ${mark}\n${`# ${'x'.repeat(75)}\n`.repeat(LARGE / 78)}`;
const each = <T>(make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: MANY }, (_, n) => make(n)));
const tags = Array.from({ length: 64 }, (_, n) => `${n}:${'t'.repeat(120)}`);
const requires = Array.from({ length: 32 }, (_, n) => `cap${n}.${'c'.repeat(50)}`);

/** What stands in the paths of the routes, by the names of their parameters. */
export type Params = Record<string, string>;

/** Plants as much as callers may store, through the interface where there is a way. */
export class Planter {
  readonly #server: TestServer;
  readonly #database: Database;
  readonly #store: RunStore;

  constructor(server: TestServer) {
    this.#server = server;
    this.#database = server.use(Database);
    this.#store = server.use(Store);
  }

  async plant(): Promise<Params> {
    const params: Params = { org: this.#server.scope.org, project: this.#server.scope.project };
    Object.assign(params, await this.#events());
    Object.assign(params, await this.#secrets());
    Object.assign(params, await this.#resources());
    Object.assign(params, await this.#graphs());
    Object.assign(params, await this.#runs());
    Object.assign(params, await this.#accounts());
    Object.assign(params, await this.#agents());
    Object.assign(params, await this.#people());
    Object.assign(params, await this.#functions());
    return params;
  }

  async #call(by: string, line: string, body?: unknown) {
    const answer = await this.#server.call(by, line, body);
    if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer.json;
  }

  #put = (path: string, body: unknown, by = 'admin') => this.#call(by, `PUT ${this.#server.scoped}/${path}`, body);
  #post = (path: string, body?: unknown, by = 'admin') => this.#call(by, `POST ${this.#server.scoped}/${path}`, body);

  async #events(): Promise<Params> {
    await each((n) => this.#post('events', { type: `large.${n}`, key: LINE, payload: text(LARGE) }));
    const { event } = await this.#post('events', { type: 'largest', payload: text(2 * 1024 * 1024 - 200) });
    const row = (n: number) => [
      event,
      'handler',
      `d${n}`,
      '',
      this.#server.scope.project_id,
      LINE,
      'declined',
      text(1999),
    ];
    const columns = 'event_id, reaction, name_digest, part, project_id, name, state, reason';
    for (let n = 0; n < 2000; n += 100) {
      const rows = Array.from({ length: 100 }, (_, i) => row(n + i));
      const marks = rows.map(() => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
      await this.#database.write(`INSERT INTO bus_deliveries (${columns}) VALUES ${marks}`, rows.flat());
    }
    const { replay } = await this.#post('event-replays', { type: 'nothing' });
    return { event, replay };
  }

  async #secrets(): Promise<Params> {
    for (let n = 0; n < 5; n++) await this.#put(`secrets/SECRET_${n}`, { value: text(48 * 1024 - 10, n) });
    for (let n = 0; n < MANY; n++)
      await this.#put(`credentials/bot-${n}`, { kind: 'bearer', token: `${n}${'x'.repeat(40_000)}` });
    for (let n = 0; n < MANY; n++)
      await this.#put(`secret-stores/store-${n}`, {
        ...{ kind: 'vault', url: 'https://vault.example.com' },
        login: { token: 'x'.repeat(16_384) },
      });
    const org = this.#server.scope.org;
    for (let n = 0; n < 2; n++) {
      const value = text(64 * 1024 - 10, n);
      await this.#put(`vars/VARIABLE_${n}`, { value });
      await this.#call('owner', `PUT /api/v1/orgs/${org}/vars/ORG_VARIABLE_${n}`, { value });
    }
    return {
      secret_store: 'store-0',
      secret: 'SECRET_0',
      credential: 'bot-0',
      variable: 'VARIABLE_0',
      org_variable: 'ORG_VARIABLE_0',
    };
  }

  /** Handlers, schedules, hooks and webhooks with the largest workflows. */
  async #resources(): Promise<Params> {
    const workflow = (n: number) => ({
      source: program(n),
      filename: `job-${n}.sh`,
      input: text(LARGE),
      tags,
      requires,
      credentials: { TOKEN: `bot-${n}` },
    });
    await this.#put('credentials/tracker', { kind: 'basic', username: 'me', password: 'pass-of-tracker' });
    await each(async (n) => {
      const on = Array.from({ length: 32 }, (_, m) => `type.${m}.${'x'.repeat(40)}`);
      const when = `event.type == "${'x'.repeat(7900)}"`;
      await this.#put(`handlers/handler-${n}`, { ...workflow(n), on, when });
      await this.#put(`schedules/schedule-${n}`, { cron: '@yearly', workflow: workflow(n) });
      await this.#put(`triggers/trigger-${n}`, {
        ...{ connector: 'issue_tracker', trigger: 'issue_created', credential: 'tracker', paused: true },
        with: { site: `https://${'x'.repeat(60)}.example.net` },
      });
      const words = 'x'.repeat(200);
      const names = { workflow: 'x'.repeat(255), subject: 'x'.repeat(255), step: 'x'.repeat(255) };
      await this.#put(`views/view-${n}`, { filter: { ...names, output: words, error: words, tag: 'x'.repeat(128) } });
      await this.#put(`event-hooks/hook-${n}`, { event_type: 'ci.done' });
      await this.#put(`webhooks/webhook-${n}`, { forge: 'forge_a', repo: 'acme/site', workflow: workflow(n) });
    });
    const { org_id, project_id } = this.#server.scope;
    for (const [source, name] of [
      ['event_hook', 'hook-0'],
      ['webhook', 'webhook-0'],
    ])
      for (let n = 0; n < 50; n++)
        await this.#database.write(
          `INSERT INTO deliveries_deliveries (project_id, source, name, delivery_id, org_id, outcome, at, reason, event_type)
           VALUES (?, ?, ?, ?, ?, 'refused', 1, ?, ?)`,
          [project_id, source!, name!, `dlv_${n}`, org_id, text(1900), 'x'.repeat(60)],
        );
    return {
      handler: 'handler-0',
      schedule: 'schedule-0',
      trigger: 'trigger-0',
      view: 'view-0',
      hook: 'hook-0',
      webhook: 'webhook-0',
    };
  }

  async #graphs(): Promise<Params> {
    const long = (n: number) => `n${n}_${'x'.repeat(20)}`;
    const document = (mark: number) => ({
      version: 'svc-graph/v1',
      title: text(100, mark),
      nodes: [
        ...Array.from({ length: 1500 }, (_, n) => ({
          id: long(n),
          type: 'emit',
          config: { type: `made.${mark}.${n}.${'x'.repeat(40)}`, payload: text(200) },
        })),
      ],
      edges: [],
    });
    for (let n = 0; n < MANY; n++) {
      await this.#put(`graphs/graph-${n}`, document(n));
      await this.#post(`graphs/graph-${n}/publish`, {});
    }
    const outputs = {
      version: 'svc-graph/v1',
      nodes: Array.from({ length: 5 }, (_, n) => ({
        id: `n${n}`,
        type: 'set',
        config: { values: '{{ input.text }}' },
      })),
      edges: [],
    };
    await this.#put('graphs/outputs', outputs);
    const { run_id } = await this.#post('runs', { graph: 'outputs', input: { text: text(1_500_000) } });
    return { graph: 'graph-0', flow: run_id };
  }

  async #claims(run_ids: readonly string[]): Promise<Map<string, Claimed>> {
    const { org_id } = this.#server.scope;
    const agent = new StandInAgent(this.#server.use, { org_id, capabilities: ['linux', 'http', ...requires] });
    const found = new Map<string, Claimed>();
    while (run_ids.some((run_id) => !found.has(run_id))) {
      const claimed = await agent.claim(50);
      if (claimed.length === 0) throw new Error('a run cannot be claimed');
      for (const claim of claimed) found.set(claim.run_id, claim);
    }
    return found;
  }

  async #runs(): Promise<Params> {
    const submit = async (n: number): Promise<string> => {
      const body = {
        source: program(n),
        filename: `${n}${LINE.slice(0, 200)}`,
        subject: LINE,
        input: text(LARGE),
        env: Object.fromEntries(Array.from({ length: 4 }, (_, m) => [`BIG_${m}`, text(60 * 1024)])),
        cancel_on: Array.from({ length: 32 }, (_, m) => `type.${m}.${'x'.repeat(50)}`),
        tags,
        requires,
      };
      return (await this.#post('runs', body)).run_id;
    };
    const ended = await each(submit);
    const failed = await each(submit);
    const open = await submit(0);
    const claims = await this.#claims([...ended, ...failed, open]);
    for (const run_id of [...ended, ...failed]) {
      const claim = claims.get(run_id)!;
      for (let n = 0; n < 8; n++) await this.#store.annotate(claim, n, text(30 * 1024, n));
      await this.#store.complete(
        claim,
        ended.includes(run_id)
          ? { status: 'succeeded', output: text(LARGE_OUTPUT) }
          : { status: 'failed', code: 'exit_code', message: text(LARGE) },
      );
    }
    await this.#fill(claims.get(open)!);
    const ask = await this.#asks(open);
    return { run: open, ask };
  }

  /** So many asks as a run may have open, and an answer of the largest size. */
  async #asks(run_id: string): Promise<string> {
    const value = text(256 * 1024 - 100);
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) {
      const { ask_id } = await this.#post(`runs/${run_id}/asks`, { name: `${n}${'x'.repeat(120)}`, payload: value });
      ids.push(ask_id);
    }
    const [ask = ''] = ids;
    await this.#database.transaction((tx) => {
      const scope = { ...this.#server.scope, run_id };
      const answer = { ask_id: ask, answer: Buffer.from(JSON.stringify(value)), now: 0 };
      return writeAnswer(tx, this.#server.use(Sealer), scope, answer);
    });
    return ask;
  }

  /** A run that goes on: its journal, its log, its children, its signals, its artifacts. */
  async #fill(claim: Claimed): Promise<void> {
    const { run_id, org_id, project_id } = claim;
    const record = (position: number): JournalRecord => ({
      position,
      kind: position % 2 === 0 ? 'step' : 'activity-submit',
      name: `step${position}`,
      ordinal: 0,
      digest: '',
      exit_code: 0,
      output: Buffer.from(text(position < 3 ? 1_900_000 : LARGE)).toString('base64'),
      message: text(2000),
      started_at: 1_700_000_000_000,
    });
    for (let n = 0; n < MANY; n++) await this.#store.append(claim, record(n));
    for (let n = 0; n < 8; n++) await this.#store.annotate(claim, n, text(30 * 1024, n));
    for (let n = 0; n < 40; n++) {
      const data = Buffer.from(text(64 * 1024)).toString('base64');
      await this.#store.appendLogs(claim, [{ n, stream: 'stdout', at: 1, site: 'step0#0', data }]);
    }
    for (let n = 0; n < MANY; n++) await this.#post(`runs/${run_id}/signals/go-${n}`, { text: text(LARGE) });
    const run = { org_id, project_id, run_id };
    const children = Array.from({ length: 3000 }, (_, n) => ({
      activity_id: `act_child${String(n).padStart(6, '0')}`,
      name: `${n}${LINE.slice(0, 190)}`,
      executor: 'command',
      spec: { text: text(n < 20 ? LARGE : 200) },
      requires: requires.slice(0, 4),
      parent: claim.activity_id,
    }));
    await this.#database.transaction(async (tx) => {
      await tx.lock({ table: 'runs_runs', key: ['run_id'], columns: 'run_id', where: 'run_id = ?', params: [run_id] });
      await this.#server.use(Activities).add(tx, run, children);
    });
    await this.#database.write("UPDATE runs_activities SET state = 'parked' WHERE parent = ?", [claim.activity_id]);
    // So many activities as a pipeline has may each have written notes.
    for (const { activity_id } of children.slice(0, 100))
      await this.#database.write(
        `INSERT INTO runs_annotations (run_id, activity_id, nth, text, written_at, beginning) VALUES (?, ?, 0, ?, 1, 'x')`,
        [run_id, activity_id, text(30 * 1024)],
      );
    for (let n = 0; n < MANY; n++)
      await this.#put(`state/entity/${n}-${'k'.repeat(100)}`, { value: text(256 * 1024 - 100) }, 'member');
    await this.#put('state/entity/key', { value: text(256 * 1024 - 100) }, 'member');
    await this.#artifacts(run_id);
  }

  /** Artifacts of a run, all but the first of which have many parts. */
  async #artifacts(run_id: string): Promise<void> {
    for (let n = 0; n < MANY; n++) await this.#artifact(run_id, `file-${n}`);
    const parts = JSON.stringify(Array.from({ length: 2000 }, (_, n) => ({ name: `${n}${'x'.repeat(60)}`, size: 1 })));
    await this.#database.write('UPDATE artifacts_files SET parts = ? WHERE path <> ?', [parts, Buffer.from('file-0')]);
  }

  async #artifact(run_id: string, path: string): Promise<void> {
    const answer = await this.#server.call(
      'member',
      `PUT ${this.#server.scoped}/runs/${run_id}/artifacts/${path}`,
      'content',
      {
        'content-type': 'application/octet-stream',
      },
    );
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }

  /** Connected accounts and leases, of which a provider or an agent would be needed. */
  async #accounts(): Promise<Params> {
    const { scope, use } = this.#server;
    const { org_id, project_id } = scope;
    await use(Sealer).prepare(org_id);
    const scopes = JSON.stringify(Array.from({ length: 20 }, (_, n) => `${n}${'s'.repeat(60)}`));
    for (let n = 0; n < MANY; n++)
      await this.#database.transaction(async (tx) => {
        const at = {
          org_id,
          project_id,
          table: 'accounts_accounts',
          kind: 'account',
          name: `acc_${n}`,
          field: 'tokens/1',
        };
        const tokens = use(Sealer).seal(at, Buffer.from(JSON.stringify({ access_token: text(LARGE) })));
        await use(CredentialNames).reserve(tx, scope, `mail-${n}`, 'account');
        await tx.write(
          `INSERT INTO accounts_accounts (project_id, name, org_id, account_id, provider, far_id, far_label, status,
             status_at, granter_id, granter, scopes_asked, scopes, granted_at, renewable, epoch, tokens, failures)
           VALUES (?, ?, ?, ?, 'far', '7', 'ana', 'active', 1, 'usr_x', 'ana', ?, ?, 1, 0, 1, ?, 0)`,
          [project_id, `mail-${n}`, org_id, `acc_${n}`, scopes, scopes, tokens],
        );
      });
    return { account: 'mail-0' };
  }

  async #agents(): Promise<Params> {
    const capabilities = JSON.stringify(Array.from({ length: 128 }, (_, n) => `${n}${'c'.repeat(60)}`));
    for (let n = 0; n < 50; n++)
      await this.#database.write(
        `INSERT INTO agents_agents (agent_id, org_id, project_id, token_id, instance, name, os, arch, capabilities, slots,
           version, pid, server, session_id, untrusted, state, first_seen_at, connected_at, last_seen_at)
         VALUES (?, ?, NULL, ?, ?, ?, 'linux', 'x64', ?, 4, '1', 1, 'srv', ?, 'isolate', 'offline', 1, 1, ?)`,
        [
          `agt_${n}`,
          this.#server.scope.org_id,
          `tok_${n}`,
          `ins_${n}`,
          LINE.slice(0, 128),
          capabilities,
          `ses_${n}`,
          this.#database.now(),
        ],
      );
    return this.#agentParams();
  }

  async #agentParams(): Promise<Params> {
    const { token } = await this.#call('owner', 'POST /api/v1/tokens', {
      name: 'agent',
      org: this.#server.scope.org,
      kind: 'agent',
    });
    const content = 'x'.repeat(3 * 1024 * 1024);
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    const put = await this.#server.call('member', `PUT ${this.#server.scoped}/files/${digest}`, content, {
      'content-type': 'application/octet-stream',
    });
    if (put.status >= 300) throw new Error(`${put.status} ${put.text}`);
    const files = [{ path: 'file', digest, size: content.length }];
    await this.#put('handlers/holder', { source: 'true', on: ['file.held'], files });
    const { run_id } = await this.#post('runs', { source: '#!/bin/sh\ntrue\n', files, requires: [requires[0]] });
    await this.#artifacts(run_id);
    await this.#caches(run_id);
    const claim = (await this.#claims([run_id])).get(run_id)!;
    return { agent: token, activity: claim.activity_id, epoch: String(claim.epoch), digest };
  }

  /** As many caches as a project can have, each with many parts but for one that can be read. */
  async #caches(run_id: string): Promise<void> {
    const { org_id, project_id } = this.#server.scope;
    const parts = JSON.stringify(Array.from({ length: 640 }, () => [1, 8 * 1024 * 1024]));
    for (let n = 0; n < 1000; n++)
      await this.#database.write(
        `INSERT INTO artifacts_caches (project_id, trusted, cache_key, org_id, run_id, blob_id, store, size, digest,
           created_at, used_at, parts) SELECT ?, 1, ?, ?, ?, blob_id, store, size, digest, ?, ?, ${n === 7 ? 'parts' : '?'}
         FROM artifacts_files WHERE run_id = ? AND path = ?`,
        [
          ...[project_id, Buffer.from(String(n)), org_id, run_id, n, n],
          ...(n === 7 ? [] : [parts]),
          ...[run_id, Buffer.from('file-0')],
        ],
      );
  }

  async #functions(): Promise<Params> {
    const { org_id, project_id } = this.#server.scope;
    for (let n = 0; n < MANY; n++)
      for (let version = 0; version < (n === 0 ? 20 : 1); version++)
        await this.#database.write(
          `INSERT INTO functions_functions (org_id, project_id, name, version, versions, input, registered_at, seen_at)
           VALUES (?, ?, ?, ?, 'pinned', ?, 1, ?)`,
          [org_id, project_id, `function-${n}`, `v${version}`, JSON.stringify({ title: 'x'.repeat(60_000) }), version],
        );
    for (let n = 0; n < 20; n++) await this.#post('runs', { function: 'function-0', requires: [`r${n}`] });
    return { function: 'function-0' };
  }

  async #people(): Promise<Params> {
    for (let n = 0; n < MANY; n++)
      await this.#call('owner', `PUT /api/v1/orgs/acme/members/user-${n}`, { role: 'member' });
    const { id } = await this.#call('owner', 'POST /api/v1/tokens', { name: LINE.slice(0, 60) });
    return { id, user: 'user-0' };
  }

  /** As an agent. */
  ask = (token: string, line: string) => ask(this.#server.url, token, line);
}
