import { Link } from '@tanstack/react-router';
import type { ShownEvent } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { Name, Status, Time } from '../kit/basics.tsx';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { Table } from '../kit/list.tsx';
import { CheckField } from '../kit/more-fields.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { ShortRun } from './links.tsx';

/** Delivers the event again to one handler; the page then lists what came of it. */
export function ReplayButton({ scope, event }: { scope: Scope; event: ShownEvent }) {
  const refetch = useRefetch();
  const path = scoped(scope, `/events/${encodeURIComponent(event.event)}`);
  const handlers = event.deliveries.filter(({ reaction }) => reaction === 'handler');
  const replay = async (fields: Record<string, string>) => {
    const body = { handler: fields.handler, ...(fields.force !== undefined && { force: true }) };
    await json(`${path}/replay`, { method: 'POST', body });
    await refetch(['event', path]);
  };
  return (
    <DialogForm label="Replay" title="Replay to a handler" verb="Replay event" run={replay}>
      <p className="quiet">
        This starts another run with the same trust as the event. Other handlers and runs do not receive it again.
      </p>
      <TextField
        name="handler"
        label="Handler"
        value={handlers[0]?.name ?? ''}
        hint="One of its patterns must match the event's type."
      />
      <CheckField name="force" label="Ignore its predicate" />
      <Same by={{ command: `svc events replay ${event.event} --handler <name>`, call: `POST ${path}/replay` }} />
    </DialogForm>
  );
}

/** Who had the event delivered again, and what came of it. */
export const Replays = ({ scope, replays }: { scope: Scope; replays: ShownEvent['replays'] }) => (
  <Panel title="Replays">
    <Table columns={['Handler', 'Outcome', 'By', 'Run']}>
      {replays.map(({ replay, handler, state, reason, forced, by, at, run_id }) => (
        <tr key={replay}>
          <td>
            <Link to="/orgs/$org/projects/$project/handlers/$handler" params={{ ...scope, handler }}>
              <Name>{handler}</Name>
            </Link>
          </td>
          <td>
            <Status of={state} />
            {forced && <div className="quiet">regardless of the predicate</div>}
            {reason && <div>{visible(reason)}</div>}
          </td>
          <td>
            {visible(by)} <Time at={at} />
          </td>
          <td>{run_id && <ShortRun scope={scope} run_id={run_id} />}</td>
        </tr>
      ))}
    </Table>
  </Panel>
);
