import {
  type Api,
  type Argument,
  type Command,
  type Flags,
  inGroup,
  listCommand,
  namedPath,
  putCommand,
  readSecret,
  removeCommand,
} from '../../../../cli/contract.ts';
import { variablesPath } from './paths.ts';

const NAME: Argument = { name: 'NAME', summary: 'name in jobs and below `vars`: letters, digits and _' };
const ORG: Flags = { org: { type: 'boolean', summary: "the org's variable, for all projects of the org" } };

/** The characters of a value that a list shows. */
const MAX_VALUE_CHARACTERS = 60;

/** A value on one line: a list shows where it goes on, and `svc var get` shows it all. */
function shorten(value: string): string {
  const [line = ''] = value.split(/[\r\n]/, 1);
  const characters = [...line];
  if (line === value && characters.length <= MAX_VALUE_CHARACTERS) return value;
  return `${characters.slice(0, MAX_VALUE_CHARACTERS - 1).join('')}…`;
}

/** Values that are not secret, for the jobs and expressions of the project. */
export const commands: readonly Command[] = inGroup('Vault', [
  putCommand<Api.Variable>({
    name: 'var set',
    summary: 'create or replace a variable, which is not secret',
    description:
      'Jobs get it in their environment, and expressions read it as `vars.NAME`. A run keeps the values from its start. A\n' +
      "variable of the project overrides the org's variable with the same name. Anyone who can see the project can read the\n" +
      'value; for passwords and tokens use `svc secret set`.',
    args: [NAME, { name: 'value', summary: 'the value, or - for standard input' }],
    flags: ORG,
    examples: [
      ['svc var set REGION eu-west-1', 'for this project'],
      ['svc var set REGISTRY registry.example.com --org', 'for every project of the org'],
      ['svc var set RULES -', 'from standard input'],
    ],
    path: namedPath(variablesPath),
    body: async (invocation) => {
      const value = invocation.args[1]!;
      return { value: value === '-' ? await readSecret('-', '<value>', invocation) : value };
    },
    confirmation: (made, { args, flags }) =>
      `${made ? 'Created' : 'Replaced'} variable ${args[0]}${flags.org === true ? ' of the org' : ''}`,
  }),
  listCommand<Api.Variable>({
    name: 'var ls',
    summary: 'list the variables that runs get, from the project and its org',
    flags: ORG,
    examples: [
      ['svc var ls --json', 'for programs'],
      ['svc var ls --org', "only the org's variables"],
    ],
    path: variablesPath,
    member: 'vars',
    columns: {
      name: 'name',
      value: ({ value }) => shorten(value),
      origin: 'origin',
      updated: 'updated_at',
      by: 'updated_by',
    },
  }),
  {
    name: 'var get',
    summary: 'print the value of a variable',
    args: [NAME],
    flags: ORG,
    examples: [['svc var get REGION', 'prints only the value']],
    load: () => import('./get.ts'),
  },
  removeCommand({
    name: 'var rm',
    summary: 'remove a variable',
    args: [NAME],
    flags: ORG,
    path: namedPath(variablesPath),
    confirmation: ({ args, flags }) => `Removed variable ${args[0]}${flags.org === true ? ' of the org' : ''}`,
  }),
]);
