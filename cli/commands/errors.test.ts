import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import t from 'tap';
import { Output } from '../output/output.ts';
import { findCommand } from '../find.ts';
import type { Invocation } from '../command.ts';
import { loadCommands } from '../tables.ts';
import { errorCodes, run } from './errors.ts';

async function said(...args: string[]): Promise<string> {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(String(text)) > 0 } as unknown as NodeJS.WriteStream;
  const output = new Output({ stdout: stream, stderr: stream }, { json: false, colour: false });
  await run({ args, output } as unknown as Invocation);
  return lines.join('');
}

t.test('an error code is explained', async (t) => {
  const text = await said('determinism_violation');
  t.match(text, /^determinism_violation \(HTTP 409\)\n {2}The script did not repeat/);
  t.match(text, /\n {2}→ Make the same calls/);
  t.match(await said('usage'), /^usage\n {2}The command has invalid arguments/, 'one that only the command line says');
});

t.test('all of them are listed, each once', async (t) => {
  const codes = (await said()).split('\n').map((line) => line.split(' ')[0]);
  for (const code of ['not_found', 'usage', 'determinism_violation', 'unreachable']) t.ok(codes.includes(code), code);
  t.equal(new Set(codes).size, codes.length);
});

t.test('every code of the command line is one of them', async (t) => {
  const clone = resolve(import.meta.dirname, '../..');
  const files = globSync('{cli,plugins/*/*/cli}/**/*.ts', { cwd: clone, exclude: ['**/*.test.ts'] });
  const found = files.flatMap((file) =>
    [...readFileSync(join(clone, file), 'utf8').matchAll(/new CliError\(\s*[\w.]+,\s*'(\w+)'/g)].map(
      ([, code]) => code!,
    ),
  );
  t.ok(found.length > 15);
  const known = new Set(errorCodes().map(([code]) => code));
  t.same(
    found.filter((code) => !known.has(code)),
    [],
  );
});

t.test('one that is not there', async (t) => {
  await t.rejects(said('deadline_exeeded'), {
    exit: 2,
    message: /unknown error code/,
    next: /`svc errors deadline_exceeded`/,
  });
  await t.rejects(said('zzzzzzzz'), { exit: 2, message: /unknown error code/, next: /README/ });
});

t.test('`svc help errors <code>` is the same, and `svc help errors` the manual', async (t) => {
  const commands = await loadCommands({});
  const find = (argv: string[]) => findCommand(argv, commands, async () => []);
  t.match(await find(['help', 'errors', 'usage']), { command: { name: 'errors' }, rest: ['usage'] });
  t.match(await find(['help', 'errors']), { help: /usage: svc errors/ });
});
