import { useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import type { Event, ListRuns200, RunRecord, ScheduleView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { EventLink, ShortRun } from '../events/links.tsx';
import { useEvents } from '../events/use-events.ts';
import { Empty, Loading, Problem, StatusIcon, Time } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { AGAIN_MS } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { stateWord } from '../kit/state.ts';
import { exactTime, took, visible } from '../kit/text.ts';

const LOOKED_AT = 200;
const SHOWN = 50;

/** A tick, and the run that it started, if any. */
interface Tick {
  event: Event;
  run: RunRecord | undefined;
}

/** The newest ticks of a schedule, with the state of their runs. */
export function Ticks({ scope, schedule }: { scope: Scope; schedule: ScheduleView }) {
  const { name, subject, last_tick } = schedule;
  const now = useNow();
  const { list } = useEvents(scope, { source: 'schedule', ...(subject !== undefined && { key: subject }) }, LOOKED_AT);
  const runs = useRunsOf(scope, name);
  if (list.error) return <Problem error={list.error} again={() => void list.refetch()} />;
  if (!list.items) return <Loading />;
  const items = list.items
    .filter((event) => event.source_name === name)
    .slice(0, SHOWN)
    .map((event): Tick => ({ event, run: runs.get(event.event) }));
  if (items.length === 0)
    return (
      <Empty icon={CalendarClock} title="No runs yet">
        Its runs appear here. Run it now to try it.
      </Empty>
    );
  const wrong = (event: Event) => (last_tick?.event === event.event ? last_tick.error : undefined);
  return (
    <Rows<Tick>
      label="History"
      head="Time"
      items={items}
      keyOf={({ event }) => event.event}
      mark={({ event, run }) => <StatusIcon of={run?.status ?? (wrong(event) ? 'failed' : 'recorded')} />}
      title={({ event }) => (
        <EventLink scope={scope} event={event.event}>
          {exactTime(event.recorded_at)}
        </EventLink>
      )}
      columns={[
        {
          name: 'Run',
          look: 'second',
          cell: ({ event, run }) => (
            <>
              {run ? (
                <>
                  {stateWord(run.status)} · <ShortRun scope={scope} run_id={run.run_id} />
                </>
              ) : (
                (wrong(event) ?? <span className="quiet">{schedule.workflow ? 'No run' : 'Event only'}</span>)
              )}
              {run?.error && <span className="bad"> · {visible(run.error.message)}</span>}
            </>
          ),
        },
        { name: 'Duration', look: 'c-end c-wide', cell: ({ run }) => (run ? took(run, now) || '—' : '—') },
        { name: 'Age', look: 'c-end', cell: ({ event }) => <Time at={event.recorded_at} /> },
      ]}
      second={({ event, run }) => (
        <span className="clip">{run ? stateWord(run.status) : (wrong(event) ?? stateWord('recorded'))}</span>
      )}
      aside={({ event }) => <Time at={event.recorded_at} />}
    />
  );
}

/** The newest runs that a schedule started, by the event of their tick. */
function useRunsOf(scope: Scope, name: string): ReadonlyMap<string, RunRecord> {
  const { data } = useQuery({
    queryKey: ['schedule-runs', scope.org, scope.project, name],
    queryFn: ({ signal }) =>
      json<ListRuns200>(scoped(scope, `/runs${query({ trigger: `schedule:${name}`, limit: LOOKED_AT })}`), { signal }),
    refetchInterval: AGAIN_MS,
  });
  const runs = data?.runs ?? [];
  return new Map(runs.map((run) => [String(run.trigger.event ?? ''), run]));
}
