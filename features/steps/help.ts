import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Given, Then, When } from '@cucumber/cucumber';
import { type Finished, runToEnd } from '../support/process.ts';
import { leftOut } from '../support/left-out.ts';
import { clone, svcProgram } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';

interface Explained {
  verb: boolean;
  name: string;
  help: string;
}

const call = (world: SvcWorld, args: readonly string[]): Promise<Finished> =>
  runToEnd(svcProgram, args, { env: world.environment(), cwd: world.folder });

/** Two at once: each is a process that mostly starts up. */
async function inPairs<T, R>(list: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let index = 0; index < list.length; index += 2)
    results.push(...(await Promise.all(list.slice(index, index + 2).map(work))));
  return results;
}

When('I ask every command of "svc --help" for its help', async function (this: SvcWorld) {
  const { stdout } = await call(this, ['--help']);
  const verbsFrom = stdout.indexOf('\nIn a script\n');
  const names = [...stdout.matchAll(/^ {2}([a-z][a-z- ]*?) {2,}\S/gm)];
  assert.ok(names.length > 25, `only ${names.length} commands are listed`);
  const explained = await inPairs(names, async ({ index, 1: name = '' }): Promise<Explained> => {
    const { exit, stdout: help, stderr } = await call(this, ['help', ...name.split(' ')]);
    assert.equal(exit, 0, stderr);
    return { verb: index > verbsFrom, name, help };
  });
  this.notes.set('explained', JSON.stringify(explained));
});

const explained = (world: SvcWorld) => JSON.parse(world.notes.get('explained') ?? '[]') as Explained[];

Then('each has a summary, a usage line and its flags', function (this: SvcWorld) {
  const commands = explained(this).filter(({ verb }) => !verb);
  assert.ok(commands.length > 25, 'commands were asked');
  for (const { name, help } of commands) {
    assert.match(help, /^[^\n]{10,}\n\n/, name);
    assert.ok(help.includes(`usage: svc ${name}`), help);
    assert.match(help, /^Global flags\n(?: {2}.*\n)* *--json/m, name);
  }
});

Then('verbs of scripts have their exit codes, what is recorded and examples', function (this: SvcWorld) {
  const verbs = explained(this).filter(({ verb }) => verb);
  assert.ok(verbs.some(({ name }) => name === 'step') && verbs.length > 10, `${verbs.length} verbs were asked`);
  for (const { name, help } of verbs) {
    assert.match(help, new RegExp(`^usage: svc ${name}`, 'm'));
    for (const part of ['Exit codes', 'What is recorded', 'Examples'])
      assert.match(help, new RegExp(`^${part}\n {2}\\S`, 'm'), name);
  }
});

const BASH = `source <("$0" completion bash)
line=$1
read -ra COMP_WORDS <<<"$line"
case $line in *' ') COMP_WORDS+=('') ;; esac
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_svc
printf '%s\\n' "\${COMPREPLY[@]}"`;

// `complete` fails when nothing fits.
const FISH = '$argv[1] completion fish | source; complete -C $argv[2] | string split -f 1 \\t; true';

/** What each shell is called with; it prints the words that it offers for a line. */
const SHELLS: Record<string, (typed: string) => string[]> = {
  bash: (typed) => ['-c', BASH, svcProgram, typed],
  zsh: (typed) => ['-f', join(clone, 'features/support/complete.zsh'), svcProgram, typed],
  fish: (typed) => ['--no-config', '-c', FISH, svcProgram, typed],
};

/** Left out, and said so, where it is not installed. */
Given('the shell {string}', function (this: SvcWorld, shell: string) {
  const places = (process.env.PATH ?? '').split(':');
  if (places.some((place) => existsSync(join(place, shell)))) return undefined;
  return leftOut(this, `completion in ${shell}, which is not installed`, shell);
});

async function offered(
  world: SvcWorld,
  shell: string,
  typed: string,
  wish: Record<string, string> = {},
): Promise<void> {
  const own = world.environment();
  // The script asks the `svc` of the line for values.
  const env = { ...own, ...wish, PATH: `${dirname(svcProgram)}:${own.PATH}` };
  const line = world.expand(typed);
  const { stdout, exit, stderr } = await runToEnd(shell, SHELLS[shell]!(line), { env, cwd: world.folder });
  assert.equal(exit, 0, stderr);
  world.notes.set('offered', stdout.split(/\s+/).join('\n'));
  world.notes.set('complained', stderr);
}

When(
  '{word} has sourced the completion and completes {string}',
  async function (this: SvcWorld, shell: string, typed: string) {
    await offered(this, shell, typed);
  },
);

When(
  '{word} completes {string} with a server that nobody can reach',
  async function (this: SvcWorld, shell: string, typed: string) {
    await offered(this, shell, typed, { SVC_URL: 'http://127.0.0.1:1' });
  },
);

Then('it offers {string}', function (this: SvcWorld, word: string) {
  assert.ok(this.notes.get('offered')?.split('\n').includes(this.expand(word)), this.notes.get('offered'));
});

Then('it does not offer {string}', function (this: SvcWorld, word: string) {
  const words = this.notes.get('offered');
  assert.ok(words?.trim() && !words.split('\n').includes(word), words);
});

Then('it offers no run and says nothing', function (this: SvcWorld) {
  assert.doesNotMatch(this.notes.get('offered') ?? '', /run_|svc:|reach/);
  assert.equal(this.notes.get('complained'), '');
});
