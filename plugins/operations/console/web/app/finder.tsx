import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command as Cmdk } from 'cmdk';
import { CalendarClock, FolderOpen, type LucideIcon, Play, Search, Workflow, Zap } from 'lucide-react';
import { useState } from 'react';
import type {
  ListGraphs200,
  ListHandlers200,
  ListRuns200,
  ListSchedules200,
  Whoami,
} from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useExtensions } from '../extensions/use-extensions.ts';
import { useNow } from '../kit/clock.ts';
import { StatusIcon } from '../kit/status.tsx';
import { ago, visible } from '../kit/text.ts';
import { AREA_ICONS } from './area-icons.ts';
import { type Area, areasFor } from './areas.ts';
import { type Command, found, pieces } from './found.ts';
import { projectsOf, useMay } from './session.ts';
import { keepTheme, shownTheme } from './theme.ts';

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
          placeholder="A page, a workflow, the end of a run’s ID, an action"
        />
        <kbd>esc</kbd>
      </div>
      <Cmdk.List label="Found">
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
  Handlers: Zap,
  Schedules: CalendarClock,
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
  const graphs = useNames<ListGraphs200>(scope, 'graphs');
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
        ...(graphs?.graphs ?? []).map(({ name }) =>
          act(
            `run-${name}`,
            `Run ${name}…`,
            () => void navigate({ to: `${here}/new-run`, params: scope, search: { graph: name } }),
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

/** A list of the API as the palette has it; undefined until it was read. */
function useNames<Answer>(scope: Scope, plural: string): Answer | undefined {
  const path = scoped(scope, `/${plural}?limit=200`);
  const { data } = useQuery({
    queryKey: ['found', path],
    staleTime: FRESH_MS,
    queryFn: ({ signal }) => json<Answer>(path, { signal }),
  });
  return data;
}

/** Graphs, handlers and schedules. */
function useStored(scope: Scope): Command[] {
  const navigate = useNavigate();
  const graphs = useNames<ListGraphs200>(scope, 'graphs')?.graphs ?? [];
  const handlers = useNames<ListHandlers200>(scope, 'handlers')?.handlers ?? [];
  const schedules = useNames<ListSchedules200>(scope, 'schedules')?.schedules ?? [];
  const here = '/orgs/$org/projects/$project';
  return [
    ...graphs.map(
      ({ name, title }): Command => ({
        ...{
          id: `graph-${name}`,
          group: 'Graphs',
          label: name,
          ...(title !== undefined && { also: title, hint: title }),
        },
        go: () => void navigate({ to: `${here}/graphs/$graph`, params: { ...scope, graph: name } }),
      }),
    ),
    ...handlers.map(
      ({ name }): Command => ({
        ...{ id: `handler-${name}`, group: 'Handlers', label: name },
        go: () => void navigate({ to: `${here}/handlers/$handler`, params: { ...scope, handler: name } }),
      }),
    ),
    ...schedules.map(
      ({ name }): Command => ({
        ...{ id: `schedule-${name}`, group: 'Schedules', label: name },
        go: () => void navigate({ to: `${here}/schedules/$schedule`, params: { ...scope, schedule: name } }),
      }),
    ),
  ];
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
  const runs = (data?.runs ?? []).map(
    ({ run_id, workflow, status, created_at }): Command => ({
      ...{ id: run_id, group: 'Runs', label: `${workflow} ${run_id.slice(-6)}`, also: run_id, status },
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
  return [...runs, ...all];
}
