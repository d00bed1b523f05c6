import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Given, Then, When } from '@cucumber/cucumber';
import { deliver } from '../support/forge-delivery.ts';
import { until } from '../support/process.ts';
import { clone } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';

const EXAMPLES = join(clone, 'features/pipelines/realistic');
/** Several jobs, one after the other, on a busy machine. */
const BOUND_MS = 80_000;
const WHO = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main'];

const folderOf = (world: SvcWorld, repo: string): string => join(world.folder, 'repos', repo);

async function git(world: SvcWorld, repo: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...WHO, ...args], { cwd: folderOf(world, repo) });
  return stdout.trim();
}

/** Notes the new commit as `{sha}`. */
async function commit(world: SvcWorld, repo: string): Promise<void> {
  await git(world, repo, 'add', '.');
  await git(world, repo, 'commit', '--quiet', '--message', 'change');
  world.notes.set('sha', await git(world, repo, 'rev-parse', 'HEAD'));
}

/** A repository with the files of an example: `{folder}/repos/<name>`. */
Given('the repository {string} of the example {string}', async function (this: SvcWorld, repo: string, name: string) {
  await cp(join(EXAMPLES, name), folderOf(this, repo), { recursive: true });
  await git(this, repo, 'init', '--quiet');
  await commit(this, repo);
});

When(
  'somebody commits {string} to {string}:',
  async function (this: SvcWorld, file: string, repo: string, text: string) {
    await this.file(`repos/${repo}/${file}`, `${text}\n`);
    await commit(this, repo);
  },
);

/** `ci.yml` of the repository, which runs at its pushes with these variables. */
Given(
  'the webhook {string} runs the pipeline of {string} with {string}',
  async function (this: SvcWorld, name: string, repo: string, env: string) {
    const source = await readFile(join(folderOf(this, repo), 'ci.yml'), 'utf8');
    const workflow = { filename: 'ci.yml', source, env: JSON.parse(this.expand(env)) as object };
    const body = { forge: 'forge_a', repo: `acme/${repo}`, workflow };
    const answer = await this.call('PUT', `${this.scoped}/webhooks/${name}`, body);
    assert.equal(answer.status, 201, answer.text);
    const { delivery_url, secret } = answer.json() as { delivery_url: string; secret: string };
    this.notes.set(`url of ${name}`, delivery_url).set(`secret of ${name}`, secret);
  },
);

/** Its ticks are of every second, so that nobody waits for the night. */
Given(
  'the schedule {string} of every second runs the pipeline of {string} with {string}',
  async function (this: SvcWorld, name: string, repo: string, env: string) {
    const source = await readFile(join(folderOf(this, repo), 'ci.yml'), 'utf8');
    const workflow = { filename: 'ci.yml', source, env: JSON.parse(this.expand(env)) as object };
    const answer = await this.call('PUT', `${this.scoped}/schedules/${name}`, { cron: '* * * * * *', workflow });
    assert.equal(answer.status, 201, answer.text);
  },
);

/** The last commit, with the files that it touched, as the forge tells them; the run is remembered under a name. */
When(
  'the push of {string} to {string} reaches {string} as {string}',
  async function (this: SvcWorld, repo: string, ref: string, name: string, run: string) {
    const url = this.notes.get(`url of ${name}`);
    assert.ok(url, `no webhook ${name} was made`);
    const changed = await git(this, repo, 'show', '--format=', '--name-only', 'HEAD');
    const body = {
      ref,
      after: await git(this, repo, 'rev-parse', 'HEAD'),
      repository: { full_name: `acme/${repo}`, clone_url: `file://${folderOf(this, repo)}` },
      sender: { login: 'ann' },
      commits: [{ added: [], modified: changed.split('\n'), removed: [] }],
    };
    const secret = this.notes.get(`secret of ${name}`) ?? '';
    await this.sends(JSON.stringify(body));
    const taken = await deliver('forge_a', { delivery_url: url, secret }, 'push', body);
    assert.equal(taken.status, 202, taken.text);
    this.remember(await startedBy(this, taken.json.event_id, name), run);
  },
);

const startedBy = (world: SvcWorld, event: string, webhook: string): Promise<string> =>
  until(`the webhook ${webhook} to start a run`, 30_000, async () => {
    const { deliveries } = (await world.call('GET', `${world.scoped}/events/${event}`)).json() as {
      deliveries: { reaction: string; name: string; run_id?: string }[];
    };
    return deliveries.find((one) => one.reaction === 'webhook' && one.name === webhook)?.run_id;
  });

Then('the pipeline {string} becomes {string}', async function (this: SvcWorld, name: string, status: string) {
  const run_id = this.runs.get(name);
  assert.ok(run_id, `no run is called ${name}`);
  this.run_id = run_id;
  await this.reaches(status, run_id, BOUND_MS);
});

Then(
  'the outputs {string} and {string} of the run are the same',
  async function (this: SvcWorld, one: string, other: string) {
    const { output } = (await this.run()) as { output: Record<string, string> };
    assert.ok(output[one], `there is no output ${one}`);
    assert.equal(output[one], output[other]);
  },
);

Given('the commit is noted as {string}', function (this: SvcWorld, note: string) {
  this.notes.set(note, this.notes.get('sha')!);
});

/** Also in the midst of other nodes; a run that ended fails at once. */
Then('the pipeline {string} waits for the event {string}', async function (this: SvcWorld, name: string, type: string) {
  this.run_id = this.runs.get(name)!;
  await until(`${name} to wait for ${type}`, BOUND_MS, async () => {
    const { status, substate, error } = await this.run();
    assert.ok(['queued', 'running', 'waiting'].includes(status), `the run is ${status}: ${JSON.stringify(error)}`);
    return (substate?.kind === 'event' && substate.name === type) || undefined;
  });
});
