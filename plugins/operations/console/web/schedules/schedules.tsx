import { useParams, useSearch } from '@tanstack/react-router';
import { CalendarClock, Play } from 'lucide-react';
import { useState } from 'react';
import type { ScheduleView } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { StatusIcon, Time } from '../kit/basics.tsx';
import { editAction, NamedList, removeAction } from '../kit/named.tsx';
import { Switch } from '../kit/switch.tsx';
import { visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { LastRun } from '../runs/last-run.tsx';
import { TriggerSchedule, usePause } from './changes.tsx';
import { cronWords } from './cron-words.ts';
import { SCHEDULES } from './kind.ts';
import { scheduleState } from './state.ts';

const FROM = '/orgs/$org/projects/$project/schedules';

export function Schedules() {
  const scope = useParams({ from: FROM });
  const address = useSearch({ from: FROM });
  const mayChange = useMay(scope)('member');
  return (
    <NamedList<ScheduleView>
      kind={SCHEDULES}
      scope={scope}
      address={address}
      may={mayChange}
      mark={(schedule) => <Mark schedule={schedule} />}
      columns={[
        { name: 'Schedule', look: 'c-when second', cell: (schedule) => <When schedule={schedule} /> },
        { name: 'Runs', look: 'c-wide', cell: ({ workflow }) => <WhatRuns workflow={workflow} /> },
        { name: 'Next', look: 'c-short', cell: (schedule) => <Due schedule={schedule} /> },
        { name: 'Last run', look: 'c-state second', cell: (one) => <LastTick scope={scope} schedule={one} /> },
        ...(mayChange
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
      aside={(one) => mayChange && <PauseSwitch scope={scope} schedule={one} />}
      actions={({ name, owner }, of) => [
        {
          icon: Play,
          label: 'Run now',
          opens: (close) => <TriggerSchedule scope={scope} name={name} close={close} />,
        },
        // A graph's schedule is changed in the graph.
        !owner && editAction(of),
        !owner && removeAction(of),
      ]}
    />
  );
}

const Mark = ({ schedule }: { schedule: ScheduleView }) => {
  const state = scheduleState(schedule);
  if (state === 'active') return <CalendarClock className="mark" size={16} aria-hidden />;
  return <StatusIcon of={state} />;
};

/** The schedule in words; the cron expression and the time zone are in the tooltip. */
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
