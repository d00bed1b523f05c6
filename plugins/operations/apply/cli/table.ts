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
    summary: 'make a project match its files',
    description:
      'Reads the files that svc export writes, checks all of them, and creates or updates the objects that differ. Values of\n' +
      'secrets, tokens and keys are never in a file. Exits with 1 if an object was rejected; the others are applied, and the\n' +
      'next apply completes the rest.',
    flags: {
      ...FOLDER,
      prune: {
        type: 'boolean',
        summary: 'also remove objects that svc apply created and that the folder no longer contains',
      },
      all: { type: 'boolean', summary: 'with --prune: also remove objects that people created by hand' },
      'allow-empty': { type: 'boolean', summary: 'with --prune: accept a folder that describes no objects' },
      'dry-run': { type: 'boolean', summary: 'only show what would be done' },
    },
    examples: [
      ['svc apply -f project --prune', 'the project matches its files'],
      ['svc apply -f project --dry-run', 'what an apply would do'],
    ],
    load: () => import('./apply.ts'),
  },
  {
    name: 'diff',
    summary: 'show where a project differs from its files',
    description:
      'Exits with 0 if the project matches its files, with 1 if it differs, and with 2 or more if they cannot be compared.',
    flags: { ...FOLDER, all: { type: 'boolean', summary: 'also count objects that people created by hand' } },
    examples: [['svc diff -f project', 'what svc apply --prune would change']],
    load: () => import('./diff.ts'),
  },
  {
    name: 'export',
    summary: 'write a project as files',
    description:
      'Writes one file for each object, and puts scripts, pipelines and graphs next to it. Other files in the folder stay.\n' +
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
