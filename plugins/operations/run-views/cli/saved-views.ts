import {
  type Api,
  type Command,
  type Flags,
  type Invocation,
  NAME,
  resourceCommands,
} from '../../../../cli/contract.ts';
import { formatFilter } from './format-filter.ts';
import { FILTER_FLAGS } from './filter-flags.ts';

type View = Api.View;

const PRIVATE: Flags = { private: { type: 'boolean', summary: 'your private view, which nobody else sees' } };

/** Filters of runs that are kept under a name. */
export const savedViews: readonly Command[] = resourceCommands<View>({
  noun: 'view',
  path: '/views',
  columns: {
    name: 'name',
    'seen by': seenBy,
    filter: ({ filter }) => formatFilter(filter),
    updated: 'updated_at',
    by: 'updated_by',
  },
  item_columns: {
    view: 'name',
    'seen by': seenBy,
    filter: ({ filter }) => formatFilter(filter),
    created: 'created_at',
    updated: 'updated_at',
    by: 'updated_by',
  },
  set: {
    summary: 'save a filter of runs under a name, for `svc runs ls --view`',
    description:
      'Takes the filters of `svc runs ls`, and replaces a view with the same name. Everyone who can see the project sees the view,\n' +
      'unless it is --private. Durations such as 7d count from each use of the view.',
    args: [NAME],
    flags: { ...FILTER_FLAGS, ...PRIVATE },
    examples: [
      ['svc view set failed-deploys --workflow deploy.sh --status failed --since 7d', 'for everyone in the project'],
      ['svc view set mine --tag team:data --private', 'only for you'],
    ],
    body: ({ flags }) => {
      const statuses = (flags.status as readonly string[]).join(',');
      const all = Object.keys(FILTER_FLAGS).map((name) => [
        name,
        name === 'status' ? statuses || undefined : flags[name],
      ]);
      // A flag that is absent is false, and no filter.
      const filter = Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== false));
      return { filter, private: flags.private === true };
    },
    confirmation: (made, { args, flags }) => `${made ? 'Created' : 'Replaced'} ${describe(flags)} ${args[0]}`,
  },
  list: { summary: 'list the saved views of the project, and your private ones' },
  show: { summary: 'show a saved view: its filter, who sees it, and who saved it' },
  remove: {
    summary: 'remove a saved view',
    flags: PRIVATE,
    path: (api, { args, flags }) =>
      `${api.scoped('/views')}/${encodeURIComponent(args[0]!)}${flags.private === true ? '?private=true' : ''}`,
    confirmation: ({ args, flags }) => `Removed ${describe(flags)} ${args[0]}`,
  },
});

function seenBy({ private: is_private }: View): string {
  return is_private ? 'you' : 'project';
}

const describe = (flags: Invocation['flags']): string => (flags.private === true ? 'private view' : 'view');
