import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import {
  CalendarClock,
  Clock,
  Globe,
  History,
  ListChecks,
  Pause,
  Play,
  Puzzle,
  Target,
  TimerReset,
} from 'lucide-react';
import { useState } from 'react';
import type { NextDue, ScheduleView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, Loading, Problem, Status, Time } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { editAction, namedPath, removeAction, useNamed } from '../kit/named.tsx';
import { AGAIN_MS } from '../kit/paged.ts';
import { CommandLine, Panel } from '../kit/page.tsx';
import { exactTime, visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { Backfill, TriggerSchedule, usePause } from './changes.tsx';
import { cronWords } from './cron-words.ts';
import { SCHEDULES } from './kind.ts';
import { Due } from './schedules.tsx';
import { scheduleState } from './state.ts';
import { Ticks } from './ticks.tsx';

const FROM = '/orgs/$org/projects/$project/schedules/$schedule';

/** The page of a schedule: the outcome of its ticks, and when it is due. */
export function Schedule() {
  const { schedule: name, ...scope } = useParams({ from: FROM });
  const [triggers, setTriggers] = useState(false);
  const [backfills, setBackfills] = useState(false);
  const may = useMay(scope);
  const pause = usePause(scope);
  const { data: schedule, error, isPending, refetch } = useNamed(SCHEDULES, scope, name);
  const own = schedule && !schedule.owner && may('member');
  const of = { kind: SCHEDULES, scope, name };
  return (
    <Detail
      name={name}
      status={schedule && <State schedule={schedule} />}
      summary={schedule && <Facts schedule={schedule} />}
      actions={
        schedule &&
        may('member') && (
          <>
            <button type="button" onClick={() => setTriggers(true)}>
              <Play size={14} aria-hidden /> Run now
            </button>
            <button type="button" onClick={() => void pause(name, !schedule.paused)}>
              {schedule.paused ? (
                <>
                  <Play size={14} aria-hidden /> Resume
                </>
              ) : (
                <>
                  <Pause size={14} aria-hidden /> Pause
                </>
              )}
            </button>
            <ActionMenu
              label={`Actions for ${name}`}
              actions={[
                { label: 'Backfill…', icon: History, run: () => setBackfills(true) },
                own && editAction(of),
                own && removeAction(of, true),
              ]}
            />
          </>
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {triggers && <TriggerSchedule scope={scope} name={name} close={() => setTriggers(false)} />}
      {backfills && <Backfill scope={scope} name={name} close={() => setBackfills(false)} />}
      {schedule && (
        <Split
          title="History"
          about={<span className="push">Newest first</span>}
          left={<Ticks scope={scope} schedule={schedule} />}
          command={`svc schedule show ${name}`}
        >
          <Next path={namedPath(SCHEDULES, scope, name)} name={name} />
          <Panel title="Definition">
            <dl>
              <WorkflowFacts workflow={schedule.workflow} />
            </dl>
          </Panel>
        </Split>
      )}
    </Detail>
  );
}

function State({ schedule }: { schedule: ScheduleView }) {
  const state = scheduleState(schedule);
  if (state === 'active') return <Status of="healthy">Active</Status>;
  return state === 'failing' ? <Status of="failing">Last start failed</Status> : <Status of="paused" />;
}

const Facts = ({ schedule }: { schedule: ScheduleView }) => (
  <>
    <HeadFact icon={CalendarClock}>
      <span>{visible(cronWords(schedule.cron))}</span>
      {cronWords(schedule.cron) !== schedule.cron && <code>{visible(schedule.cron)}</code>}
    </HeadFact>
    <HeadFact icon={Globe}>{visible(schedule.timezone)}</HeadFact>
    <HeadFact icon={TimerReset}>
      <span>
        {!schedule.paused && schedule.next_due && 'Next '}
        <Due schedule={schedule} />
        {schedule.paused_by !== undefined && ` by ${visible(schedule.paused_by)}`}
      </span>
    </HeadFact>
    <WhatRuns workflow={schedule.workflow} />
    {startWords(schedule) !== '' && <HeadFact icon={ListChecks}>{startWords(schedule)}</HeadFact>}
    {schedule.subject && <HeadFact icon={Target}>{visible(schedule.subject)}</HeadFact>}
    <HeadFact icon={Clock}>
      <span>
        Changed <Time at={schedule.set_at} />
      </span>
    </HeadFact>
    {schedule.owner && <HeadFact icon={Puzzle}>Managed by {visible(schedule.owner.replace(':', ' '))}</HeadFact>}
  </>
);

const OVERLAP_WORDS = {
  skip: 'Skips while a run is open',
  queue: 'Waits for open runs',
  cancel: 'Cancels open runs',
} as const;

/** How due times start, where that differs from the default. */
const startWords = ({ overlap, jitter, catch_up, deadline }: ScheduleView): string =>
  [
    overlap && OVERLAP_WORDS[overlap],
    jitter && `jitter ${jitter}`,
    catch_up && `catch-up ${catch_up}`,
    deadline && `deadline ${deadline}`,
  ]
    .filter(Boolean)
    .join(' · ');

/** The next times, which the server computes, and why others wait or were skipped. */
function Next({ path, name }: { path: string; name: string }) {
  const next = useQuery({
    queryKey: ['schedule', path, 'next'],
    queryFn: ({ signal }) => json<NextDue>(`${path}/next?count=5`, { signal }),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Panel title="Next five due times" flush foot={<CommandLine command={`svc schedule next ${name}`} />}>
      {next.error && <Problem error={next.error} again={() => void next.refetch()} />}
      {next.data?.next.length === 0 && <Empty title="Never due again" />}
      {next.data && (
        <ol className="mini">
          {next.data.waiting.map(({ due, reason, backfill }) => (
            <Coming key={`waiting ${due}`} at={due} reason={`${backfill ? 'Backfill' : 'Due'}: ${reason}`} />
          ))}
          {next.data.upcoming.map(({ due, starts_at, outcome, reason }) => (
            <Coming
              key={due}
              at={starts_at}
              quiet={outcome === 'paused'}
              reason={outcome === 'paused' ? undefined : reason}
            />
          ))}
        </ol>
      )}
      {next.data && next.data.skipped.length > 0 && (
        <details className="mini-note">
          <summary>Recently skipped: {next.data.skipped.length}</summary>
          <ol className="mini">
            {next.data.skipped.map(({ due, reason }) => (
              <Coming key={due} at={due} reason={reason} quiet />
            ))}
          </ol>
        </details>
      )}
      {next.data?.paused && <p className="mini-note quiet">Paused: nothing starts at these times.</p>}
    </Panel>
  );
}

const Coming = ({ at, reason, quiet = false }: { at: string; reason?: string | undefined; quiet?: boolean }) => (
  <li className={quiet ? 'quiet' : undefined}>
    <span className="num">{exactTime(at)}</span>
    {reason && <span className="quiet">{visible(reason)}</span>}
    <span className="push quiet">
      <Time at={at} />
    </span>
  </li>
);
