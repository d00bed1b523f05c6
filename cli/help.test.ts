import t from 'tap';
import { findCommand } from './find.ts';
import { flagsOf } from './flags.ts';
import { commandHelp, usageLine } from './help.ts';
import { parse } from './parse.ts';
import { loadCommands } from './tables.ts';
import { findUnknownFlag } from './inputs/input-flags.ts';

const commands = await loadCommands({});
const find = (argv: readonly string[]) => findCommand(argv, commands, async () => []);

t.test('the help of a command names all that it takes', async (t) => {
  for (const command of commands) {
    const help = commandHelp(command);
    for (const { name, summary } of command.args ?? [])
      t.ok(help.includes(`<${name}>`) && help.includes(summary), name);
    for (const [name, { summary }] of Object.entries(flagsOf(command)))
      t.ok(help.includes(`--${name}`) && help.includes(summary), `${command.name} --${name}`);
    t.ok(help.includes(usageLine(command)), command.name);
    for (const line of help.split('\n')) t.ok(line.length <= 140, `${line.length} columns: ${line}`);
  }
});

/** Splits an example as a shell would. */
const words = (text: string) =>
  [...text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));

t.test('every example is a call that its command takes', async (t) => {
  for (const { name, examples = [] } of commands)
    for (const [text] of examples) {
      const call = words(/(?:^|\s|\()(svc [^)>]*)/.exec(text)?.[1] ?? '');
      const found = await find(call.slice(1));
      if (!('command' in found)) throw new Error(`"${text}" is no call of a command`);
      t.equal(found.command.name, name, text);
      // The workflow of the example would say which inputs it has.
      if (found.command.inputs && findUnknownFlag(found.rest, flagsOf(found.command)) !== undefined) continue;
      t.doesNotThrow(() => parse(found.command, found.rest), text);
    }
});
