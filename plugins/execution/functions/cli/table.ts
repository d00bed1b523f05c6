import { type Api, type Command, listCommand } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = [
  listCommand<Api.ListFunctions200['functions'][number]>({
    name: 'functions ls',
    group: 'Look',
    summary: 'list the workflows that workers serve, with their versions and workers',
    path: (api) => api.scoped('/functions'),
    member: 'functions',
    columns: {
      name: 'name',
      version: 'version',
      'open runs': 'versions',
      workers: ({ workers }) => (workers.length === 0 ? 'none' : workers.join(' ')),
      timeout: ({ timeout }) => timeout ?? '',
      registered: 'registered_at',
    },
  }),
];
