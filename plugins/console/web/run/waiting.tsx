import type { RunRecord } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Time } from '../kit/basics.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { Panel, Same } from '../kit/page.tsx';
import { shellQuote, visible } from '../kit/text.ts';
import { RunLink } from './facts.tsx';

const SAYS: Record<string, string> = {
  sleep: 'It sleeps',
  signal: 'It waits for the signal',
  event: 'It waits for an event of the type',
  awaiting_lease: 'It waits for the lock',
  activity: 'It waits for the activity',
  child: 'It waits for the run that it called:',
};

/** What a run waits for, and the form that ends the wait. */
export function Waiting({ scope, run }: { scope: Scope; run: RunRecord }) {
  const may = useMay(scope);
  const { substate } = run;
  if (!substate) return null;
  const { kind, name, since, deadline } = substate;
  return (
    <Panel title="What it waits for">
      <p>
        {SAYS[kind] ?? kind}
        {kind !== 'sleep' && <strong> {visible(name)}</strong>}, since <Time at={since} />
        {deadline && (
          <>
            ; it goes on by itself <Time at={deadline} />
          </>
        )}
        .
      </p>
      {substate.run_id && (
        <p>
          <RunLink scope={scope} run_id={substate.run_id} />
        </p>
      )}
      {may('member') && kind === 'signal' && <SendSignal key={name} scope={scope} run={run} name={name} />}
      {may('member') && kind === 'event' && <EmitEvent key={name} scope={scope} run={run} type={name} />}
    </Panel>
  );
}

function SendSignal({ scope, run, name }: { scope: Scope; run: RunRecord; name: string }) {
  const path = scoped(scope, `/runs/${encodeURIComponent(run.run_id)}/signals/${encodeURIComponent(name)}`);
  return (
    <PayloadForm
      verb="Send the signal"
      send={(payload) => json(path, { method: 'POST', body: payload })}
      same={{ command: `svc signal ${run.run_id} ${shellQuote(name)} --payload '…'`, call: `POST ${path}` }}
    />
  );
}

function EmitEvent({ scope, run, type }: { scope: Scope; run: RunRecord; type: string }) {
  const path = scoped(scope, '/events');
  const key = run.subject;
  const flag = key === undefined ? '' : ` --key ${shellQuote(key)}`;
  return (
    <PayloadForm
      verb="Emit the event"
      send={(payload) => json(path, { method: 'POST', body: { type, payload, ...(key !== undefined && { key }) } })}
      same={{ command: `svc emit ${shellQuote(type)}${flag} --payload '…'`, call: `POST ${path}` }}
    />
  );
}

interface FormProps {
  verb: string;
  send(payload: unknown): Promise<unknown>;
  same: { command: string; call: string };
}

const PayloadForm = ({ verb, send, same }: FormProps) => (
  <>
    <InlineForm verb={verb} run={({ payload = '' }) => send(parseJson(payload))}>
      <label>
        Payload, as JSON
        <textarea name="payload" rows={3} spellCheck={false} defaultValue="null" />
      </label>
    </InlineForm>
    <Same by={same} />
  </>
);
