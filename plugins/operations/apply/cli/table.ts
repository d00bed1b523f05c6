import { type Argument, type Command, type Flags, inGroup } from '../../../../cli/contract.ts';

const FOLDER: Flags = {
  folder: { type: 'string', value: '<folder>', short: 'f', summary: "the folder with the project's files" },
};

const KIND: Argument = {
  name: 'kind',
  summary: 'the folder of the kind: handlers, schedules, graphs, …',
  choices: [
    'providers',
    'credentials',
    'secret-stores',
    'graphs',
    'handlers',
    'schedules',
    'triggers',
    'event-hooks',
    'webhooks',
    'vars',
    'members',
  ],
};

/** A project as files: written from the project, compared with it, and applied to it. */
export const commands: readonly Command[] = inGroup('Operate', [
  {
    name: 'apply',
    summary: 'make a project as its files say',
    description:
      'Reads the files that svc export writes, checks all of them, and creates or updates what differs. Values of secrets, tokens\n' +
      'and keys are never in a file. Exits with 1 if an object was rejected; the others are applied, and the next apply goes on.',
    flags: {
      ...FOLDER,
      prune: { type: 'boolean', summary: 'remove what svc apply created and the folder no longer has' },
      all: { type: 'boolean', summary: 'with --prune: also remove what people made by hand' },
      'allow-empty': { type: 'boolean', summary: 'with --prune: accept a folder that describes no object' },
      'dry-run': { type: 'boolean', summary: 'only show what would be done' },
    },
    examples: [
      ['svc apply -f project --prune', 'the project is as its files say'],
      ['svc apply -f project --dry-run', 'what this would do'],
    ],
    load: () => import('./apply.ts'),
  },
  {
    name: 'diff',
    summary: 'show where a project differs from its files',
    description:
      'Exits with 0 if the project is as its files say, with 1 if it differs, and with 2 or more if they cannot be compared.',
    flags: { ...FOLDER, all: { type: 'boolean', summary: 'also count what people made by hand' } },
    examples: [['svc diff -f project', 'what svc apply --prune would change']],
    load: () => import('./diff.ts'),
  },
  {
    name: 'export',
    summary: 'write a project as files',
    description:
      'Writes one file for each object, with scripts, pipelines and graphs beside it. Other files in the folder stay.\n' +
      'Values of secrets, tokens and keys are not written.',
    flags: { output: { type: 'string', value: '<folder>', short: 'o', summary: 'the folder to write' } },
    examples: [['svc export -o project', 'then put the folder under version control']],
    load: () => import('./export.ts'),
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of a kind of project file',
    args: [KIND],
    examples: [['svc schema handlers > handlers.schema.json', 'for an editor that completes the files']],
    load: () => import('./schema.ts'),
  },
]);
