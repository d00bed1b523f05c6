import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CalendarClock, Pencil, Play, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, StatusIcon, Tag, Time } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { FormDrawer } from '../kit/drawer.tsx';
import { FilterBar } from '../kit/filter-bar.tsx';
import { List } from '../kit/list.tsx';
import { hasWords } from '../kit/list-address.ts';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { Rows } from '../kit/rows.tsx';
import { Switch } from '../kit/switch.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { runsWhat } from '../kit/workflow.ts';
import { LastRun } from '../runs/last-run.tsx';
import { ChangeSchedule, RemoveSchedule, TriggerSchedule, usePause } from './changes.tsx';
import { cronWords } from './cron-words.ts';
import { ScheduleFields, scheduleOf } from './form.tsx';
import { SCHEDULE_STATES, scheduleState } from './state.ts';

const FROM = '/orgs/$org/projects/$project/schedules';
/** Every schedule of a project: words and filters are looked for in all of them. */
const ALL = { limit: 200 };

export function Schedules() {
  const scope = useParams({ from: FROM });
  const { make, find = '', state } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const may = useMay(scope);
  const path = scoped(scope, '/schedules');
  const list = usePaged<'schedules', ScheduleView>('schedules', path, ALL, { again_ms: AGAIN_MS });
  const fits = (one: ScheduleView) =>
    hasWords([one.name, one.cron, cronWords(one.cron), one.timezone, runsWhat(one.workflow)], find) &&
    (state === undefined || scheduleState(one) === state);
  const makeLink = may('member') && (
    <Link to={FROM} params={scope} search={{ make: true }} className="button main">
      <Plus size={16} aria-hidden /> New schedule
    </Link>
  );
  return (
    <Page
      title="Schedules"
      bleed
      about={list.items?.length || undefined}
      actions={makeLink}
      same={{ command: 'svc schedule ls', call: `GET ${path}` }}
    >
      {make && may('member') && <MakeSchedule scope={scope} />}
      <FilterBar
        label="Find a schedule"
        hint="Name, time or workflow"
        find={find}
        choices={[SCHEDULE_STATES]}
        chosen={{ state }}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      <List
        list={list}
        nothing={
          <Empty icon={CalendarClock} title="No schedules yet" action={makeLink}>
            A schedule starts a workflow by the clock.
          </Empty>
        }
      >
        {(schedules) => <Found scope={scope} schedules={schedules.filter(fits)} />}
      </List>
    </Page>
  );
}

function Found({ scope, schedules }: { scope: Scope; schedules: readonly ScheduleView[] }) {
  const may = useMay(scope);
  if (schedules.length === 0) return <Empty title="No schedule fits these filters" />;
  return (
    <Rows<ScheduleView>
      label="Schedules"
      head="Schedule"
      items={schedules}
      keyOf={({ name }) => name}
      mark={(schedule) => <Mark schedule={schedule} />}
      title={({ name }) => (
        <Link className="clip" to={`${FROM}/$schedule`} params={{ ...scope, schedule: name }} title={visible(name)}>
          {visible(name)}
        </Link>
      )}
      beside={({ owner }) => owner && <Tag>{owner.replace(':', ' ')}</Tag>}
      columns={[
        { name: 'When', look: 'c-when second', cell: (schedule) => <When schedule={schedule} /> },
        { name: 'Runs', look: 'c-wide', cell: ({ workflow }) => <WhatRuns workflow={workflow} /> },
        { name: 'Next', look: 'c-short', cell: (schedule) => <Due schedule={schedule} /> },
        { name: 'Last run', look: 'c-state second', cell: (one) => <LastTick scope={scope} schedule={one} /> },
        ...(may('member')
          ? [
              {
                name: 'Active',
                look: 'c-switch',
                cell: (one: ScheduleView) => <PauseSwitch scope={scope} schedule={one} />,
              },
            ]
          : []),
      ]}
      second={(schedule) => (
        <>
          <span className="clip">
            <When schedule={schedule} />
          </span>
          <span className="push">
            <Due schedule={schedule} />
          </span>
        </>
      )}
      aside={(one) => may('member') && <PauseSwitch scope={scope} schedule={one} />}
      actions={(one) => <ScheduleMenu scope={scope} schedule={one} small />}
    />
  );
}

const Mark = ({ schedule }: { schedule: ScheduleView }) => {
  const state = scheduleState(schedule);
  if (state === 'active') return <CalendarClock className="mark" size={16} aria-hidden />;
  return <StatusIcon of={state} />;
};

/** In words, and exactly when pointed at. */
export const When = ({ schedule: { cron, timezone } }: { schedule: ScheduleView }) => (
  <span title={`${visible(cron)} ${visible(timezone)}`}>
    {visible(cronWords(cron))}
    {timezone !== 'UTC' && <span className="quiet"> {visible(timezone)}</span>}
  </span>
);

export function Due({ schedule: { paused, paused_since, paused_by, next_due } }: { schedule: ScheduleView }) {
  if (paused)
    return (
      <span className="quiet" title={paused_by === undefined ? undefined : `Paused by ${visible(paused_by)}`}>
        Paused {paused_since && <Time at={paused_since} />}
      </span>
    );
  return next_due === undefined ? <span className="quiet">Never again</span> : <Time at={next_due} />;
}

function LastTick({ scope, schedule: { last_tick: tick } }: { scope: Scope; schedule: ScheduleView }) {
  if (!tick) return <span className="quiet">None yet</span>;
  const time = <Time at={tick.ticked_at} />;
  if (tick.error)
    return (
      <span className="with-icon bad" title={visible(tick.error)}>
        <StatusIcon of="failed" /> {time}
      </span>
    );
  if (!tick.run_id) return time;
  return (
    <LastRun scope={scope} run_id={tick.run_id}>
      {time}
    </LastRun>
  );
}

function PauseSwitch({ scope, schedule: { name, paused } }: { scope: Scope; schedule: ScheduleView }) {
  const pause = usePause(scope);
  const [busy, setBusy] = useState(false);
  const change = async (on: boolean) => {
    setBusy(true);
    await pause(name, !on);
    setBusy(false);
  };
  return (
    <Switch
      label={`${paused ? 'Resume' : 'Pause'} ${name}`}
      on={!paused}
      disabled={busy}
      onChange={(on) => void change(on)}
    />
  );
}

function ScheduleMenu({ scope, schedule: { name, owner }, small }: MenuProps) {
  const may = useMay(scope);
  if (!may('member')) return null;
  const of = { scope, name };
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small={small}
      actions={[
        { icon: Play, label: 'Run now', opens: (close) => <TriggerSchedule {...of} close={close} /> },
        !owner && {
          icon: Pencil,
          label: 'Edit schedule',
          opens: (close) => <ChangeSchedule {...of} close={close} />,
        },
        !owner && {
          icon: Trash2,
          label: 'Remove schedule',
          danger: true,
          opens: (close) => <RemoveSchedule {...of} close={close} />,
        },
      ]}
    />
  );
}

interface MenuProps {
  scope: Scope;
  schedule: ScheduleView;
  small: boolean;
}

function MakeSchedule({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const make = async (fields: Record<string, string>) => {
    const schedule = fields.name ?? '';
    const path = scoped(scope, `/schedules/${encodeURIComponent(schedule)}`);
    const body = scheduleOf(fields);
    await refuseTaken(path, 'schedule');
    await json(path, { method: 'PUT', body });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/schedules')) });
    await navigate({ to: `${FROM}/$schedule`, params: { ...scope, schedule } });
  };
  return (
    <FormDrawer
      title="New schedule"
      verb="Create schedule"
      close={() => void navigate({ to: FROM, params: scope, search: {} })}
      run={make}
      leaves
    >
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <ScheduleFields />
    </FormDrawer>
  );
}
