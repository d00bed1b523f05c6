import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Given, Then, When } from '@cucumber/cucumber';
import { specOnly } from '../support/contract.ts';
import { openGitServer } from '../support/git-server.ts';
import type { SvcWorld } from '../support/world.ts';

interface Checked {
  problems: { line: number; column: number; message: string; code: string }[];
}

When('I submit the pipeline:', async function (this: SvcWorld, source: string) {
  await this.submit({ filename: 'ci.yml', source: `${this.expand(source)}\n` });
});

When('I submit the pipeline as {string}:', async function (this: SvcWorld, name: string, source: string) {
  await this.submit({ filename: 'ci.yml', source: `${this.expand(source)}\n` }, name);
});

When('I submit the pipeline with {string}:', async function (this: SvcWorld, options: string, source: string) {
  const more = JSON.parse(this.expand(options)) as Record<string, unknown>;
  await this.submit({ filename: 'ci.yml', source: `${this.expand(source)}\n`, ...more });
});

When('I check the pipeline:', async function (this: SvcWorld, source: string) {
  await this.request('POST', `${this.scoped}/check`, { filename: 'ci.yml', source: this.expand(source) });
});

When('I check a pipeline of the text {string}', async function (this: SvcWorld, text: string) {
  const source = text.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  await this.request('POST', `${this.scoped}/check`, { filename: 'ci.yml', source });
});

/** `line:column` and a part of the message. */
Then('it has the problem {string} at {string}', function (this: SvcWorld, part: string, place: string) {
  const { problems } = this.answer!.json() as Checked;
  // Words and places are the contract's.
  if (specOnly()) return assert.ok(problems.length > 0, 'nothing is refused');
  const found = problems.some(
    ({ line, column, message }) => `${line}:${column}` === place && message.includes(this.expand(part)),
  );
  assert.ok(found, JSON.stringify(problems, null, 1));
});

Then('it has {int} problem(s)', function (this: SvcWorld, count: number) {
  const { problems } = this.answer!.json() as Checked;
  assert.equal(problems.length, count, JSON.stringify(problems, null, 1));
});

When('I check a pipeline of {int} nested anchors', async function (this: SvcWorld, depth: number) {
  const levels = Array.from({ length: depth }, (_, n) => `x-l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}*l${n}]`);
  const source = ['x-l0: &l0 [x]', ...levels, 'jobs: { a: { steps: [{ run: "true" }] } }'].join('\n');
  await this.request('POST', `${this.scoped}/check`, { filename: 'ci.yml', source });
});

When('I look at the pipeline {string}', async function (this: SvcWorld, workflow: string) {
  const answer = await this.call('GET', `${this.scoped}/runs?workflow=${encodeURIComponent(workflow)}`);
  const { runs } = answer.json() as { runs: { run_id: string }[] };
  assert.equal(runs.length, 1);
  this.remember(runs[0]!.run_id, workflow);
});

interface JobView {
  node: string;
  substate?: { deadline?: string };
  finished_at?: string;
}

async function jobOf(world: SvcWorld, name: string): Promise<JobView> {
  const job = ((await world.steps()) as unknown as JobView[]).find(({ node }) => node === name);
  assert.ok(job, `there is no job ${name}`);
  return job;
}

Then(
  'the deadline of the job {string} is noted as {string}',
  async function (this: SvcWorld, name: string, note: string) {
    const { substate } = await jobOf(this, name);
    assert.ok(substate?.deadline, `${name} has no deadline`);
    this.notes.set(note, substate.deadline);
  },
);

Then('the deadline of the job {string} is {string}', async function (this: SvcWorld, name: string, time: string) {
  assert.equal((await jobOf(this, name)).substate?.deadline, this.expand(time));
});

/** Not before it, and not as late as a second deadline would be. */
Then(
  'the job {string} ended within {int} seconds of {string}',
  async function (this: SvcWorld, name: string, seconds: number, time: string) {
    const { finished_at = '' } = await jobOf(this, name);
    const late = Date.parse(finished_at) - Date.parse(this.expand(time));
    assert.ok(late >= 0 && late <= seconds * 1000, `${finished_at} is ${late} ms after ${this.expand(time)}`);
  },
);

/** A repository of the scenario with one commit, noted as `{sha}`; `{folder}/repos/<name>`. */
Given(
  'a repository {string} whose {string} is:',
  async function (this: SvcWorld, name: string, file: string, text: string) {
    await this.file(`repos/${name}/${file}`, `${text}\n`);
    const cwd = join(this.folder, 'repos', name);
    const git = async (...args: string[]) => {
      const who = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.org', '-c', 'init.defaultBranch=main'];
      return (await promisify(execFile)('git', [...who, ...args], { cwd })).stdout.trim();
    };
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'change');
    this.notes.set('sha', await git('rev-parse', 'HEAD'));
  },
);

Given('the repository {string} has the tag {string}', async function (this: SvcWorld, name: string, tag: string) {
  const cwd = join(this.folder, 'repos', name);
  await promisify(execFile)('git', ['tag', tag], { cwd });
});

Given(
  'a git server that takes {string} noted as {string}',
  async function (this: SvcWorld, pair: string, note: string) {
    this.needs('@far-end');
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    const server = await openGitServer(join(this.folder, 'repos'), authorization);
    this.cleanups.push(() => server.close());
    this.notes.set(note, server.url);
  },
);
