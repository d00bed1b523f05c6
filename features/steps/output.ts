import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import { runToEnd, Service } from '../support/process.ts';
import { asText, assertMatches } from '../support/text.ts';
import { clone, svcProgram } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';
import { at, words } from './cli.ts';

const ESC = '\u001b';
const TERMINAL = join(clone, 'features/support/terminal.py');

Given('a file {string} of the bytes {string}', async function (this: SvcWorld, name: string, hex: string) {
  await writeFile(join(this.folder, name), Buffer.from(hex, 'hex'));
});

When('I start {string} on a terminal as {string}', function (this: SvcWorld, line: string, name: string) {
  const [, ...args] = words(this.expand(line));
  const env = { ...this.environment(), TERM: 'xterm' };
  this.services.set(name, new Service('python3', [TERMINAL, svcProgram, ...args], { env, cwd: this.folder }));
});

Then('{string} shows its run', async function (this: SvcWorld, name: string) {
  const [, run_id = ''] = await this.services.get(name)!.says(/run (run_\w+)/);
  this.remember(run_id);
});

Then('{string} showed {string}', function (this: SvcWorld, name: string, text: string) {
  const { log } = this.services.get(name)!;
  assert.ok(log.includes(text), JSON.stringify(log));
});

Then('{string} showed the colour {int} and no other control', function (this: SvcWorld, name: string, colour: number) {
  const { log } = this.services.get(name)!;
  assert.ok(log.includes(`${ESC}[${colour}m`), JSON.stringify(log));
  const rest = log.replaceAll(new RegExp(`${ESC}\\[\\d*m`, 'g'), '').replaceAll('\r\n', '\n');
  assert.doesNotMatch(rest, /[^\P{Cc}\n]|\u202e/u);
});

Then('standard output holds the byte {int}', function (this: SvcWorld, byte: number) {
  assert.ok(this.cli?.stdout.includes(String.fromCharCode(byte)), JSON.stringify(this.cli?.stdout));
});

When('I call {string} into a reader that leaves at once', async function (this: SvcWorld, line: string) {
  const script = `set -o pipefail; "$0" ${this.expand(line).replace(/^svc /, '')} | true`;
  const env = this.environment();
  this.cli = {
    ...(await runToEnd('bash', ['-c', script, svcProgram], { env, cwd: this.folder })),
    checked: false,
  };
});

Then('standard error is {string}', function (this: SvcWorld, text: string) {
  assert.equal(this.cli?.stderr.trimEnd(), this.expand(text));
});

Then(
  'the text {string} stands in standard error {int} time(s)',
  function (this: SvcWorld, text: string, times: number) {
    assert.equal(this.cli!.stderr.split(this.expand(text)).length - 1, times, this.cli?.stderr);
  },
);

Then('standard error lacks {string}', function (this: SvcWorld, text: string) {
  assert.ok(this.cli && !this.cli.stderr.includes(this.expand(text)), this.cli?.stderr);
});

Then('standard error matches {string}', function (this: SvcWorld, pattern: string) {
  assertMatches(this.cli?.stderr, this.expand(pattern), 'm');
});

Then('standard error is JSON whose {string} is {string}', function (this: SvcWorld, path: string, value: string) {
  assert.equal(asText(at(JSON.parse(this.cli?.stderr ?? ''), path)), this.expand(value));
});

Then(
  'standard error is JSON whose {string} matches {string}',
  function (this: SvcWorld, path: string, pattern: string) {
    assertMatches(at(JSON.parse(this.cli?.stderr ?? ''), path), pattern);
  },
);

Then('standard output is JSON with {string}', function (this: SvcWorld, member: string) {
  const value = at(JSON.parse(this.cli?.stdout ?? ''), member);
  assert.ok(value !== undefined && value !== null, this.cli?.stdout);
});

Then('standard output and error hold no control characters', function (this: SvcWorld) {
  assert.ok(this.cli, 'a command was called');
  const { stdout, stderr } = this.cli;
  for (const character of stdout + stderr)
    assert.ok(character === '\n' || character >= ' ', `U+${character.codePointAt(0)?.toString(16)} in ${stderr}`);
});

/** Two pipes have no order between them, so that the lines are compared as a set. */
const shown = (world: SvcWorld) => {
  const { output } = JSON.parse(world.cli?.stdout ?? '') as { output: unknown };
  const lines = world.cli?.stderr
    .replaceAll(/^run run_\w+\n/gm, '')
    .split('\n')
    .sort();
  return JSON.stringify({ output, lines });
};

When('I note the output of the run and its streams', function (this: SvcWorld) {
  this.notes.set('shown', shown(this));
});

Then('the output of the run and its streams are the same', function (this: SvcWorld) {
  assert.deepEqual(JSON.parse(shown(this)), JSON.parse(this.notes.get('shown') ?? ''));
});

/** The folder is the home of the scenario too: compiled code of the program is kept there, as it is anywhere. */
Then('the folder holds only {string}', async function (this: SvcWorld, name: string) {
  const found = await readdir(this.folder);
  assert.deepEqual(
    found.filter((one) => one !== '.cache'),
    [name],
  );
});
