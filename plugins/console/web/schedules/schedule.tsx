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
import { ScheduleFields, scheduleOf, unchanged } from './form.tsx';
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
  const put = async (body: Record<string, unknown>) => {
    await json(path, { method: 'PUT', body });
    await client.invalidateQueries({ queryKey: ['schedule', path] });
  };
  return (
    <Page
      title={name}
      heading={<Name>{name}</Name>}
      actions={own && <Actions scope={scope} schedule={schedule} path={path} put={put} />}
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
    <Time at={tick.ticked_at} /> <EventLink scope={scope} event={tick.event} />
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

interface ActionProps {
  scope: Scope;
  schedule: ScheduleView;
  path: string;
  put(body: Record<string, unknown>): Promise<void>;
}

function Actions({ scope, schedule, path, put }: ActionProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { name, paused } = schedule;
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['schedule', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/schedules')) });
    void navigate({ to: '/orgs/$org/projects/$project/schedules', params: scope, search: {} });
  };
  return (
    <>
      <Confirm
        label={paused ? 'Go on' : 'Pause'}
        title={paused ? `Let ${name} tick again?` : `Pause ${name}?`}
        verb={paused ? 'Go on' : 'Pause it'}
        run={() => put({ ...unchanged(schedule), paused: !paused })}
      >
        {paused ? 'Due times that it missed meanwhile are left out.' : 'It does not tick until somebody lets it go on.'}
      </Confirm>
      <Confirm label="Remove" title={`Remove the schedule ${name}?`} verb="Remove it" danger run={remove}>
        There are no more ticks. Runs that it started go on.
      </Confirm>
    </>
  );
}
