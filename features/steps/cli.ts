import assert from 'node:assert/strict';
import { Given, Then, When } from '@cucumber/cucumber';
import { assertExit } from '../support/contract.ts';
import { until } from '../support/process.ts';
import { asText, assertMatches } from '../support/text.ts';
import type { SvcWorld } from '../support/world.ts';

/** Splits like a shell: blanks part words, '…' and "…" hold them together. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}

const call = (world: SvcWorld, line: string, options: Parameters<SvcWorld['svc']>[1] = {}) => {
  const [program, ...args] = words(world.expand(line));
  assert.equal(program, 'svc', 'a command line of a scenario starts with svc');
  return world.svc(args, options);
};

/** So often that no scenario could write it down. */
Given(
  'a file {string} of the text {string} {int} times',
  async function (this: SvcWorld, name: string, text: string, times: number) {
    await this.file(name, text.repeat(times));
  },
);

Given('a file {string}:', async function (this: SvcWorld, name: string, content: string) {
  await this.file(name, `${content}\n`);
});

When('I call {string}', async function (this: SvcWorld, line: string) {
  await call(this, line);
});

/** The index of runs follows in the background. */
Then('{string} soon lists {string}', async function (this: SvcWorld, line: string, text: string) {
  await until(`${line} to list ${text}`, 60_000, async () => {
    const { stdout } = await call(this, line);
    return stdout.includes(text) || undefined;
  });
});

When('I call {string} with standard input:', async function (this: SvcWorld, line: string, stdin: string) {
  await call(this, line, { stdin: this.expand(stdin) });
});

When(
  'I call {string} with {string} set to {string}',
  async function (this: SvcWorld, line: string, name: string, value: string) {
    await call(this, line, { env: { [name]: this.expand(value) } });
  },
);

When('I submit {string} with the CLI as {string}', async function (this: SvcWorld, line: string, name: string) {
  const { stdout } = await call(this, `svc submit ${line}`);
  this.remember(stdout.trim(), name);
});

When('I look at the run on standard output', function (this: SvcWorld) {
  this.remember(this.cli?.stdout.trim() ?? '');
});

Then('it exits with {int}', function (this: SvcWorld, exit: number) {
  assert.ok(this.cli, 'a command was called');
  this.cli.checked = true;
  assertExit(this.cli.exit, exit, `stdout: ${this.cli.stdout}\nstderr: ${this.cli.stderr}`);
});

Then('standard output is {string}', function (this: SvcWorld, text: string) {
  assert.equal(this.cli?.stdout.trimEnd(), this.expand(text), this.cli?.stderr);
});

Then('standard output is:', function (this: SvcWorld, text: string) {
  assert.equal(this.cli?.stdout.trimEnd(), this.expand(text), this.cli?.stderr);
});

Then('standard output has {string}', function (this: SvcWorld, text: string) {
  assert.ok(
    this.cli?.stdout.includes(this.expand(text)),
    `"${text}" is not in: ${this.cli?.stdout}\nstderr: ${this.cli?.stderr}`,
  );
});

Then('standard output lacks {string}', function (this: SvcWorld, text: string) {
  assert.ok(this.cli && !this.cli.stdout.includes(this.expand(text)), `"${text}" is in: ${this.cli?.stdout}`);
});

Then('standard output matches {string}', function (this: SvcWorld, pattern: string) {
  assertMatches(this.cli?.stdout, this.expand(pattern), 'm');
});

Then('standard error has {string}', function (this: SvcWorld, text: string) {
  assert.ok(this.cli?.stderr.includes(this.expand(text)), `"${text}" is not in: ${this.cli?.stderr}`);
});

Then('standard output is JSON whose {string} is {string}', function (this: SvcWorld, path: string, value: string) {
  assert.equal(asText(at(JSON.parse(this.cli?.stdout ?? ''), path)), this.expand(value));
});

/** `a.b.0.c` inside a JSON value. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}
