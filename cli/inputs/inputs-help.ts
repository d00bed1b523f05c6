import type { Command } from '../command.ts';
import { CliError } from '../errors.ts';
import { findByName } from '../find.ts';
import { flagsOf } from '../flags.ts';
import { alignColumns } from '../help.ts';
import { parse } from '../parse.ts';
import { findInputs, findNamedInputs } from './find-inputs.ts';
import { inputRows, type WorkflowInputs } from './input-flags.ts';
import { clientOf } from './parse-inputs.ts';

const HELP = ['--help', '-h'];

const sectionOf = (inputs: WorkflowInputs, command: Command): string =>
  `Inputs of ${inputs.workflow}\n${alignColumns(inputRows(inputs, flagsOf(command)))}\n`;

/** The section for `svc submit deploy.yaml --help`: the inputs that the workflow declares. */
export async function commandInputsHelp(argv: readonly string[], commands: readonly Command[]): Promise<string> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const command = findByName(words, commands);
  if (!command?.inputs) return '';
  try {
    const rest = words.slice(command.name.split(' ').length).filter((word) => !HELP.includes(word));
    const parsed = parse(command, rest, commands);
    const inputs = await findInputs(command, parsed, process, clientOf(command, parsed.flags));
    return inputs === undefined ? '' : `\n${sectionOf(inputs, command)}`;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // Without a server, or with a line that cannot be parsed, the help of the command is all there is.
    return '';
  }
}

/** `svc help <workflow>`; undefined if there is no such workflow, or it declares no inputs. */
export async function workflowHelp(name: string, commands: readonly Command[]): Promise<string | undefined> {
  const submit = commands.find((one) => one.name === 'submit');
  const found = submit && (await findNamedInputs(name, process, clientOf(submit, {})));
  if (found === undefined) return undefined;
  const [form, inputs] = found;
  const usage = `usage: svc submit ${form === undefined ? '' : `--${form} `}${name} [flags of its inputs] [flags]`;
  return `${usage}\n\n${sectionOf(inputs, submit!)}\n\`svc help submit\` shows the other flags.\n`;
}
