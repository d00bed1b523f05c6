import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { NextDue, ScheduleView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { RecentEvents } from '../events/recent.tsx';
import { EventLink } from '../events/table.tsx';
import { Empty, Loading, Name, Problem, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { Fact } from '../kit/facts.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { AGAIN_MS, listKey } from '../kit/paged.ts';
import { Page, Panel, Same } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { RunLink } from '../run/facts.tsx';
import { ScheduleFields, scheduleOf } from './form.tsx';
import { Due } from './schedules.tsx';

/** One schedule: when it is due, and what its ticks came to. */
export function Schedule() {
  const { schedule: name, ...scope } = useParams({ from: '/orgs/$org/projects/$project/schedules/$schedule' });
  const may = useMay(scope);
  const client = useQueryClient();
  const path = scoped(scope, `/schedules/${encodeURIComponent(name)}`);
  const read = useQuery({
    queryKey: ['schedule', path],
    queryFn: ({ signal }) => json<ScheduleView>(path, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const schedule = read.data;
  const own = schedule && !schedule.owner && may('member');
  const again = () => client.invalidateQueries({ queryKey: ['schedule', path] });
  const put = async (body: Record<string, unknown>) => {
    await json(path, { method: 'PUT', body });
    await again();
  };
  const post = async (action: string) => {
    await json(`${path}/${action}`, { method: 'POST' });
    await again();
  };
  return (
    <Page
      title={name}
      heading={<Name>{name}</Name>}
      actions={
        <>
          {schedule && may('member') && <ByHand schedule={schedule} post={post} />}
          {own && <Remove scope={scope} name={name} path={path} />}
        </>
      }
      same={{ command: `svc schedule show ${name}`, call: `GET ${path}` }}
    >
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      {schedule && (
        <>
          <Panel>
            <Facts scope={scope} schedule={schedule} />
          </Panel>
          {own && (
            <Panel>
              <details>
                <summary>Change it</summary>
                <InlineForm key={name} verb="Replace it" run={(fields) => put(scheduleOf(fields))}>
                  <ScheduleFields schedule={schedule} />
                </InlineForm>
              </details>
            </Panel>
          )}
          <Next path={path} name={name} />
          <RecentEvents
            scope={scope}
            title="Ticks lately"
            filters={{ source: 'schedule', ...(schedule.subject !== undefined && { key: schedule.subject }) }}
            fits={(event) => event.source_name === name}
            empty="It has not ticked yet."
          />
        </>
      )}
    </Page>
  );
}

const Facts = ({ scope, schedule }: { scope: Scope; schedule: ScheduleView }) => (
  <dl>
    <Fact name="When">
      <code>{visible(schedule.cron)}</code> {visible(schedule.timezone)}
    </Fact>
    <Fact name="Due next">
      <Due schedule={schedule} />
    </Fact>
    {schedule.subject && <Fact name="Subject">{visible(schedule.subject)}</Fact>}
    {schedule.last_tick && (
      <Fact name="Last tick">
        <LastTick scope={scope} tick={schedule.last_tick} />
      </Fact>
    )}
    {schedule.owner && <Fact name="Belongs to">{visible(schedule.owner)}; it changes with it</Fact>}
    <Fact name="Set">
      <Time at={schedule.set_at} />
    </Fact>
    <WorkflowFacts workflow={schedule.workflow} />
  </dl>
);

const LastTick = ({ scope, tick }: { scope: Scope; tick: NonNullable<ScheduleView['last_tick']> }) => (
  <>
    <Time at={tick.ticked_at} /> {tick.triggered_by !== undefined && <>by {visible(tick.triggered_by)} </>}
    <EventLink scope={scope} event={tick.event} />
    {tick.run_id && (
      <div>
        started <RunLink scope={scope} run_id={tick.run_id} />
      </div>
    )}
    {tick.missed_count !== undefined && <div>It stands for {tick.missed_count} due times.</div>}
    {tick.error && <div className="bad">{visible(tick.error)}</div>}
  </>
);

/** The next times, as the server computes them. */
function Next({ path, name }: { path: string; name: string }) {
  const next = useQuery({
    queryKey: ['schedule', path, 'next'],
    queryFn: ({ signal }) => json<NextDue>(`${path}/next?count=5`, { signal }),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Panel title="Next times">
      {next.error && <Problem error={next.error} again={() => void next.refetch()} />}
      {next.data?.next.length === 0 && <Empty>It will never be due again.</Empty>}
      {next.data && (
        <ul className="plain">
          {next.data.next.map((at) => (
            <li key={at}>
              <code>{at}</code> <Time at={at} />
            </li>
          ))}
        </ul>
      )}
      {next.data?.paused && <p className="quiet">It is paused: nothing happens at these times.</p>}
      <Same by={{ command: `svc schedule next ${name}`, call: `GET ${path}/next` }} />
    </Panel>
  );
}

/** A tick now, and the clock stopped or started. */
const ByHand = ({ schedule, post }: { schedule: ScheduleView; post(action: string): Promise<void> }) => {
  const { name, paused } = schedule;
  const action = paused ? 'resume' : 'pause';
  return (
    <>
      <Confirm label="Trigger" title={`Let ${name} tick now?`} verb="Trigger it" run={() => post('trigger')}>
        It runs as at a due time, paused or not. When it is due next stays.
        <Same by={{ command: `svc schedule trigger ${name}`, call: 'POST …/trigger' }} />
      </Confirm>
      <Confirm
        label={paused ? 'Resume' : 'Pause'}
        title={paused ? `Let ${name} tick again?` : `Pause ${name}?`}
        verb={paused ? 'Resume it' : 'Pause it'}
        run={() => post(action)}
      >
        {paused ? 'Due times that it missed meanwhile are left out.' : 'It does not tick until somebody resumes it.'}
        <Same by={{ command: `svc schedule ${action} ${name}`, call: `POST …/${action}` }} />
      </Confirm>
    </>
  );
};

function Remove({ scope, name, path }: { scope: Scope; name: string; path: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['schedule', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/schedules')) });
    void navigate({ to: '/orgs/$org/projects/$project/schedules', params: scope, search: {} });
  };
  return (
    <Confirm label="Remove" title={`Remove the schedule ${name}?`} verb="Remove it" danger run={remove}>
      There are no more ticks. Runs that it started go on.
    </Confirm>
  );
}
