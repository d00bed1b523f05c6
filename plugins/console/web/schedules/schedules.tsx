import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ScheduleView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { TextField } from '../kit/dialog-form.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { runsWhat } from '../kit/workflow.ts';
import { ScheduleFields, scheduleOf } from './form.tsx';

export function Schedules() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/schedules' });
  const { make } = useSearch({ from: '/orgs/$org/projects/$project/schedules' });
  const may = useMay(scope);
  const path = scoped(scope, '/schedules');
  const list = usePaged<'schedules', ScheduleView>('schedules', path, {}, { again_ms: AGAIN_MS });
  return (
    <Page
      title="Schedules"
      actions={
        may('member') &&
        !make && (
          <Link to="/orgs/$org/projects/$project/schedules" params={scope} search={{ make: true }} className="button">
            New schedule
          </Link>
        )
      }
      same={{ command: 'svc schedule ls', call: `GET ${path}` }}
    >
      {make && may('member') && <MakeSchedule scope={scope} />}
      <List list={list} empty="Nothing is due by the clock yet.">
        {(schedules) => (
          <Table columns={['Schedule', 'When', 'What runs', 'Due next', '-Last tick']}>
            {schedules.map((schedule) => (
              <Row key={schedule.name} scope={scope} schedule={schedule} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

const Row = ({ scope, schedule }: { scope: Scope; schedule: ScheduleView }) => (
  <tr>
    <td>
      <Link to="/orgs/$org/projects/$project/schedules/$schedule" params={{ ...scope, schedule: schedule.name }}>
        <Name>{schedule.name}</Name>
      </Link>
      {schedule.owner && <div className="quiet">of {visible(schedule.owner)}</div>}
    </td>
    <td>
      <code>{visible(schedule.cron)}</code>
      <div className="quiet">{visible(schedule.timezone)}</div>
    </td>
    <td>{visible(runsWhat(schedule.workflow)) || <span className="quiet">only an event</span>}</td>
    <td>
      <Due schedule={schedule} />
    </td>
    <td className="wide">
      {schedule.last_tick ? <Time at={schedule.last_tick.ticked_at} /> : <span className="quiet">none yet</span>}
      {schedule.last_tick?.error && <div className="bad clip">{visible(schedule.last_tick.error)}</div>}
    </td>
  </tr>
);

export function Due({ schedule: { paused, paused_since, paused_by, next_due } }: { schedule: ScheduleView }) {
  if (paused)
    return (
      <span className="quiet">
        paused {paused_since && <Time at={paused_since} />} {paused_by !== undefined && <>by {visible(paused_by)}</>}
      </span>
    );
  return next_due === undefined ? <span className="quiet">never again</span> : <Time at={next_due} />;
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
    void navigate({ to: '/orgs/$org/projects/$project/schedules/$schedule', params: { ...scope, schedule } });
  };
  return (
    <Panel title="New schedule">
      <InlineForm
        verb="Make it"
        run={make}
        also={
          <Link to="/orgs/$org/projects/$project/schedules" params={scope} search={{}} className="button">
            Leave it
          </Link>
        }
      >
        <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
        <ScheduleFields />
      </InlineForm>
    </Panel>
  );
}
