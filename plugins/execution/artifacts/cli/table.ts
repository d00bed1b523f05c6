import {
  type Api,
  type Argument,
  type Command,
  inGroup,
  listCommand,
  removeCommand,
} from '../../../../cli/contract.ts';
import { artifactPath } from './places.ts';

const RUN: Argument = { name: 'run-id', summary: 'the run: run_01J…, the end of its ID, or @last', run: true };
const PATH: Argument = { name: 'path', summary: 'the path of the artifact, as `svc artifact ls` prints it' };

export const commands: readonly Command[] = inGroup('Run', [
  {
    name: 'artifact put',
    summary: 'store files as artifacts of a run',
    description:
      'In a script, omit --run: the command is then a verb and stores the files once, no matter how often the script\n' +
      "replays. Artifact paths start with the folder's name, or with the value of --as (. for no prefix). To continue an interrupted\n" +
      'upload, run the command again. Symbolic links are rejected. The service does not mask or encrypt the stored files.',
    args: [{ name: 'folder', summary: 'a folder, or one file' }],
    flags: {
      run: { type: 'string', run: true, value: '<run-id>', summary: 'the run that gets the artifacts' },
      as: { type: 'string', value: '<path>', summary: 'prefix of the paths; for a file, its entire path' },
    },
    examples: [
      ['svc artifact put dist --run run_01J…', 'stores dist/index.html and all other files'],
      ['svc artifact put out/report.html --as report.html --run run_01J…', 'one file, under another path'],
    ],
    load: () => import('./put.ts'),
  },
  listCommand<Api.ArtifactView>({
    name: 'artifact ls',
    summary: 'list the artifacts of a run',
    args: [RUN],
    path: (client, { args }) => client.scoped(`/runs/${encodeURIComponent(args[0]!)}/artifacts`),
    member: 'artifacts',
    columns: { path: 'path', size: 'size', digest: 'digest', created: 'created_at' },
  }),
  {
    name: 'artifact get',
    summary: 'download the artifacts of a run',
    description:
      "Without a path, it downloads everything; with a folder's path, it downloads that folder. To continue\n" +
      'an interrupted download, run the command again. Every file is verified by its digest before it gets its final\n' +
      'name. An existing file is replaced; a link to a file outside the folder is rejected.',
    args: [RUN, { ...PATH, optional: true }],
    flags: {
      output: {
        type: 'string',
        short: 'o',
        value: '<folder>',
        summary: 'target folder (default .); - writes one file to standard output',
      },
    },
    examples: [
      ['svc artifact get run_01J… --output results', 'all artifacts, into results'],
      ['svc artifact get run_01J… dist/app.js -o -', 'one artifact, to standard output'],
    ],
    load: () => import('./get.ts'),
  },
  listCommand<Api.CacheView>({
    name: 'cache ls',
    summary: "list the caches of the project's runs",
    path: (client) => client.scoped('/caches'),
    member: 'caches',
    columns: { key: 'key', size: 'size', trusted: 'trusted', run: 'run_id', used: 'used_at' },
  }),
  removeCommand({
    name: 'cache rm',
    summary: 'remove a cache',
    args: [{ name: 'key', summary: 'the key of the cache, as `svc cache ls` prints it' }],
    path: (client, { args }) => client.scoped(`/caches/${args[0]!.split('/').map(encodeURIComponent).join('/')}`),
    confirmation: ({ args }) => `Removed cache ${args[0]}`,
  }),
  removeCommand({
    name: 'artifact rm',
    summary: 'remove an artifact of a run',
    args: [RUN, PATH],
    path: (client, { args }) => artifactPath(client, args[0]!, args[1]!),
    confirmation: ({ args }) => `Removed artifact ${args[1]} of ${args[0]}`,
  }),
]);
