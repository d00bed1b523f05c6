import { useQueries, useQuery } from '@tanstack/react-query';
import { type LinkProps, useNavigate } from '@tanstack/react-router';
import { Command as Cmdk } from 'cmdk';
import {
  Anchor,
  CalendarClock,
  FolderOpen,
  FunctionSquare,
  type LucideIcon,
  Play,
  Search,
  Webhook,
  Workflow,
  Zap,
} from 'lucide-react';
import { useState } from 'react';
import type { ListRuns200, Whoami } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { useExtensions } from '../extensions/use-extensions.ts';
import { useNow } from '../kit/clock.ts';
import { StatusIcon } from '../kit/status.tsx';
import { ago, visible } from '../kit/text.ts';
import { AREA_ICONS } from './area-icons.ts';
import { type Area, areasFor } from './areas.ts';
import { type Command, found, pieces } from './found.ts';
import { projectsOf, useMay } from './session.ts';
import { keepTheme, shownTheme } from './theme.ts';

/** What looks like one: an order's number, a key, an address. */
const SUBJECT = /[\d:/@]/;
const RUN_ID = /^run_[0-9A-Z]{26}$/;
/** What is offered is not read anew each time that the palette opens. */
const FRESH_MS = 30_000;
/** So many of the newest runs are looked through. */
const RUNS = 200;

interface Props {
  scope: Scope;
  who: Whoami;
  close(): void;
}

export default function Finder({ scope, who, close }: Props) {
  const [text, setText] = useState('');
  const wanted = text.trim();
  const groups = found(useCommands(scope, who, wanted), wanted);
  return (
    <Cmdk label="Search or run" shouldFilter={false} loop>
      <div className="q">
        <Search size={16} aria-hidden />
        <Cmdk.Input
          autoFocus
          value={text}
          onValueChange={setText}
          placeholder="Page, workflow, action, subject, or the end of a run ID"
        />
        <kbd>esc</kbd>
      </div>
      <Cmdk.List label="Results">
        <Cmdk.Empty>Nothing found for “{visible(wanted)}”</Cmdk.Empty>
        {groups.map(([group, commands]) => (
          <Cmdk.Group key={group} heading={group}>
            {commands.map((command) => (
              <Cmdk.Item
                key={command.id}
                value={command.id}
                className="item"
                onSelect={() => {
                  close();
                  command.go();
                }}
              >
                <Mark command={command} />
                <Label text={visible(command.label)} wanted={wanted} />
                {command.hint && <span className="push">{command.hint}</span>}
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        ))}
      </Cmdk.List>
    </Cmdk>
  );
}

const ICONS: Record<Command['group'], LucideIcon> = {
  Actions: Play,
  Pages: Search,
  Graphs: Workflow,
  Functions: FunctionSquare,
  Handlers: Zap,
  Schedules: CalendarClock,
  Webhooks: Webhook,
  Hooks: Anchor,
  Runs: Play,
  Projects: FolderOpen,
};

function Mark({ command: { group, label, status } }: { command: Command }) {
  if (status !== undefined) return <StatusIcon of={status} />;
  const Icon = (group === 'Pages' && AREA_ICONS[label as Area['name']]) || ICONS[group];
  return <Icon size={16} aria-hidden />;
}

function Label({ text, wanted }: { text: string; wanted: string }) {
  const [before, hit, after] = pieces(text, wanted);
  return (
    <span className="clip">
      {before}
      {hit && <mark>{hit}</mark>}
      {after}
    </span>
  );
}

function useCommands(scope: Scope, who: Whoami, text: string): Command[] {
  const may = useMay(scope);
  const pages = usePages(scope, who);
  const stored = useStored(scope);
  const runs = useRuns(scope, text);
  const navigate = useNavigate();
  const lists = useNamedLists(scope);
  const here = '/orgs/$org/projects/$project';
  const act = (id: string, label: string, go: () => void): Command => ({ id, group: 'Actions', label, go });
  const actions: Command[] = may('member')
    ? [
        act('new-run', 'New run', () => void navigate({ to: `${here}/new-run`, params: scope })),
        act('new-graph', 'New graph', () => void navigate({ to: `${here}/graphs/new`, params: scope })),
        act(
          'new-handler',
          'New handler',
          () => void navigate({ to: `${here}/handlers`, params: scope, search: { make: true } }),
        ),
        act(
          'new-schedule',
          'New schedule',
          () => void navigate({ to: `${here}/schedules`, params: scope, search: { make: true } }),
        ),
        ...(lists.get('Graphs') ?? []).map(({ name }) =>
          act(
            `run-${name}`,
            `Run ${name}…`,
            () => void navigate({ to: `${here}/new-run`, params: scope, search: { graph: name } }),
          ),
        ),
        ...(lists.get('Functions') ?? []).map(({ name }) =>
          act(
            `run-function-${name}`,
            `Run ${name}…`,
            () => void navigate({ to: `${here}/new-run`, params: scope, search: { what: 'function', function: name } }),
          ),
        ),
      ]
    : [];
  const theme = act('theme', 'Switch theme', () => keepTheme(shownTheme() === 'dark' ? 'light' : 'dark'));
  return [...actions, theme, ...pages, ...stored, ...runs];
}

function usePages(scope: Scope, who: Whoami): Command[] {
  const navigate = useNavigate();
  const may = useMay(scope);
  const added = (useExtensions(scope)?.pages ?? []).map(
    ({ plugin, name, title }): Command => ({
      ...{ id: `added-${name}`, group: 'Pages', label: title, hint: plugin },
      go: () =>
        void navigate({
          to: '/orgs/$org/projects/$project/plugins/$plugin/$page',
          params: { ...scope, plugin, page: name },
        }),
    }),
  );
  const pages = areasFor(may).map(
    ({ to, name, key }): Command => ({
      ...{ id: `page-${name}`, group: 'Pages', label: name, hint: `g ${key}` },
      go: () => void navigate({ to, params: scope }),
    }),
  );
  const projects = projectsOf(who).map(
    ({ org, project }): Command => ({
      ...{ id: `project-${org}-${project}`, group: 'Projects', label: `${org}/${project}` },
      go: () => void navigate({ to: '/orgs/$org/projects/$project', params: { org, project } }),
    }),
  );
  return [...pages, ...added, ...projects];
}

interface Found {
  name: string;
  title?: string;
}

interface NamedList {
  group: Command['group'];
  /** Below the project, in the API. */
  path: string;
  /** The field of the answer that has the list. */
  plural: string;
  link(scope: Scope, name: string): Pick<LinkProps, 'to' | 'params'>;
}

const HERE = '/orgs/$org/projects/$project';

/** The lists whose entries have names and pages. */
const NAMED = [
  {
    ...{ group: 'Graphs', path: '/graphs', plural: 'graphs' },
    link: (scope: Scope, graph: string) => ({ to: `${HERE}/graphs/$graph`, params: { ...scope, graph } }),
  },
  {
    ...{ group: 'Functions', path: '/functions', plural: 'functions' },
    link: (scope: Scope, name: string) => ({ to: `${HERE}/functions/$function`, params: { ...scope, function: name } }),
  },
  {
    ...{ group: 'Handlers', path: '/handlers', plural: 'handlers' },
    link: (scope: Scope, handler: string) => ({ to: `${HERE}/handlers/$handler`, params: { ...scope, handler } }),
  },
  {
    ...{ group: 'Schedules', path: '/schedules', plural: 'schedules' },
    link: (scope: Scope, schedule: string) => ({ to: `${HERE}/schedules/$schedule`, params: { ...scope, schedule } }),
  },
  {
    ...{ group: 'Webhooks', path: '/webhooks', plural: 'webhooks' },
    link: (scope: Scope, webhook: string) => ({ to: `${HERE}/webhooks/$webhook`, params: { ...scope, webhook } }),
  },
  {
    ...{ group: 'Hooks', path: '/event-hooks', plural: 'event_hooks' },
    link: (scope: Scope, hook: string) => ({ to: `${HERE}/hooks/$hook`, params: { ...scope, hook } }),
  },
] as const satisfies readonly NamedList[];

function useNamedLists(scope: Scope): Map<(typeof NAMED)[number]['group'], readonly Found[]> {
  const lists = useQueries({
    queries: NAMED.map(({ path, plural }) => {
      const address = scoped(scope, path);
      return {
        queryKey: ['found', address],
        staleTime: FRESH_MS,
        queryFn: ({ signal }: { signal: AbortSignal }) => readAllPages<Found>(address, plural, { signal }),
      };
    }),
  });
  return new Map(NAMED.map(({ group }, n) => [group, withoutRepeats(lists[n]?.data ?? [])]));
}

/** A function has an entry for each of its versions. */
const withoutRepeats = (entries: readonly Found[]): Found[] => [
  ...new Map(entries.map((entry) => [entry.name, entry])).values(),
];

function useStored(scope: Scope): Command[] {
  const navigate = useNavigate();
  const lists = useNamedLists(scope);
  return NAMED.flatMap(({ group, plural, link }) =>
    (lists.get(group) ?? []).map(
      ({ name, title }): Command => ({
        ...{ id: `${plural}-${name}`, group, label: name, ...(title !== undefined && { also: title, hint: title }) },
        go: () => void navigate(link(scope, name)),
      }),
    ),
  );
}

/** Of the newest runs those that the text fits, a run by its whole id, and all runs of a workflow. */
function useRuns(scope: Scope, text: string): Command[] {
  const navigate = useNavigate();
  const now = useNow();
  const path = scoped(scope, `/runs?limit=${RUNS}`);
  const { data } = useQuery({
    queryKey: ['found', path],
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => json<ListRuns200>(path, { signal }),
  });
  const open = (run: string) =>
    void navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run } });
  if (RUN_ID.test(text)) return [{ id: 'run', group: 'Runs', label: text, go: () => open(text) }];
  if (text === '') return [];
  const workflows = new Set((data?.runs ?? []).map(({ workflow }) => workflow));
  const subjects = new Set((data?.runs ?? []).flatMap(({ subject }) => subject ?? []));
  const runs = (data?.runs ?? []).map(
    ({ run_id, workflow, status, created_at, subject }): Command => ({
      ...{ id: run_id, group: 'Runs', label: `${workflow} ${run_id.slice(-6)}`, status },
      also: subject === undefined ? run_id : `${subject} ${run_id}`,
      hint: ago(created_at, now),
      go: () => open(run_id),
    }),
  );
  const all = [...workflows].map(
    (workflow): Command => ({
      ...{ id: `runs-of-${workflow}`, group: 'Actions', label: `All runs of ${workflow}` },
      go: () => void navigate({ to: '/orgs/$org/projects/$project/runs', params: scope, search: { workflow } }),
    }),
  );
  const about = [...subjects].map(
    (subject): Command => ({
      ...{ id: `runs-about-${subject}`, group: 'Actions', label: `All runs about ${subject}` },
      go: () => void navigate({ to: '/orgs/$org/projects/$project/runs', params: scope, search: { subject } }),
    }),
  );
  // An older subject is found by all of its text.
  const typed: Command = {
    ...{ id: 'runs-about', group: 'Actions', label: `Runs with the subject ${text}` },
    go: () => void navigate({ to: '/orgs/$org/projects/$project/runs', params: scope, search: { subject: text } }),
  };
  return [...runs, ...about, ...all, ...(SUBJECT.test(text) && !subjects.has(text) ? [typed] : [])];
}
