import {
  type Api,
  type Argument,
  type Command,
  listCommand,
  namedPath,
  removeCommand,
  showCommand,
} from '../../../../cli/contract.ts';
import { describeConcurrency } from '../explain/concurrency.ts';

const NAME: Argument = { name: 'name', summary: 'name of the workflow' };

const workersOf = ({ workers }: { workers: readonly string[] }) => (workers.length === 0 ? 'none' : workers.join(' '));
const waitingOf = (runs: number) => (runs === 0 ? '' : String(runs));

export const commands: readonly Command[] = [
  listCommand<Api.ListFunctions200['functions'][number]>({
    name: 'functions ls',
    group: 'Look',
    summary: 'list the workflows that workers serve, with their versions and workers',
    path: (api) => api.scoped('/functions'),
    member: 'functions',
    columns: {
      name: 'name',
      version: ({ version, current }) => (current ? `${version} (current)` : version),
      'open runs': 'versions',
      workers: workersOf,
      waiting: ({ waiting }) => waitingOf(waiting),
      timeout: ({ timeout }) => timeout ?? '',
      registered: 'registered_at',
    },
  }),
  showCommand<Api.FunctionDetails>({
    name: 'functions show',
    group: 'Look',
    summary: 'show a workflow that workers serve: its input, its versions, and the runs that wait for a worker',
    args: [NAME],
    path: namedPath('/functions'),
    columns: {
      name: 'name',
      version: 'version',
      'open runs': 'versions',
      timeout: ({ timeout }) => timeout ?? '',
      concurrency: ({ concurrency }) => describeConcurrency(concurrency),
      priority: ({ priority }) => (priority === undefined ? '' : String(priority)),
      input: ({ input }) => (input === undefined ? '' : JSON.stringify(input)),
      served: ({ registrations }) => registrations.map((one) => `${one.version} by ${workersOf(one)}`).join(', '),
      waiting: ({ waiting }) =>
        waiting.map(({ version, runs }) => `${runs} for ${version ?? 'any version'}`).join(', '),
    },
    examples: [['svc functions show order --json', 'with the IDs of the oldest runs that wait']],
  }),
  removeCommand({
    name: 'functions rm',
    group: 'Look',
    summary: 'remove a workflow that no worker serves and that has no open run',
    description:
      'Each org and each project can register up to 1,000 names. This frees one. A worker that serves the workflow registers it again.',
    args: [NAME],
    path: namedPath('/functions'),
    confirmation: ({ args }) => `Removed function ${args[0]}`,
  }),
];
