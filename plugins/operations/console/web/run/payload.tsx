import { Braces } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { shellQuote, visible } from '../kit/text.ts';
import { signalPath } from './approve.ts';
import { asksThatEnd } from './awaited-asks.ts';

/** The command that asks a run. */
export const askCommand = ({ run_id }: Pick<RunRecord, 'run_id'>, name = ''): string =>
  `svc ask ${run_id} ${shellQuote(name)} '…'`;

/** The command that ends the wait. */
export function commandFor(run: RunRecord): string {
  const { run_id, subject, substate = { kind: '', name: '' } } = run;
  const { kind, name } = substate;
  if (kind === 'signal') return `svc signal ${run_id} ${shellQuote(name)} --payload '…'`;
  const [ask] = asksThatEnd(substate);
  if (ask !== undefined) return askCommand(run, ask);
  const key = subject === undefined ? '' : ` --key ${shellQuote(subject)}`;
  if (kind === 'event') return `svc emit ${shellQuote(name)}${key} --payload '…'`;
  return `svc explain ${run_id}`;
}

interface Props {
  scope: Scope;
  run: RunRecord;
  /** Other buttons, which answer without a payload: then the form is folded. */
  children?: ReactNode;
}

type Awaited = Pick<NonNullable<RunRecord['substate']>, 'kind' | 'name'>;

/** A signal of the run, or an event with its subject as the key. */
function sendTo(scope: Scope, run: RunRecord, { kind, name }: Awaited, payload: unknown): Promise<unknown> {
  if (kind === 'signal') return json(signalPath(scope, run, name), { method: 'POST', body: payload });
  const key = run.subject;
  const body = { type: name, payload, ...(key !== undefined && { key }) };
  return json(scoped(scope, '/events'), { method: 'POST', body });
}

/** The signals and events of which the first ends the wait. */
export const sendable = ({ any = [] }: NonNullable<RunRecord['substate']>): readonly Awaited[] =>
  any.filter(({ kind }) => kind !== 'ask');

/** Sends one of several signals and events. */
export const SendFirst = ({ scope, run, waits }: Omit<Props, 'children'> & { waits: readonly Awaited[] }) => (
  <InlineForm
    verb="Send"
    run={({ what = '', payload = '' }) => sendTo(scope, run, waits[Number(what)]!, parseJson(payload))}
  >
    <label>
      Signal or event
      <select name="what">
        {waits.map(({ kind, name }, at) => (
          <option key={`${kind}:${name}`} value={at}>
            {kind} {visible(name)}
          </option>
        ))}
      </select>
    </label>
    <label>
      Payload, as JSON
      <textarea name="payload" rows={3} spellCheck={false} defaultValue="null" />
    </label>
  </InlineForm>
);

/** Sends a payload of one's own to what waits. */
export function Payload({ scope, run, children }: Props) {
  const [open, setOpen] = useState(children === undefined);
  const { kind, name } = run.substate!;
  return (
    <>
      {children && (
        <div className="row answers">
          {children}
          <button type="button" className="ghost push" aria-expanded={open} onClick={() => setOpen(!open)}>
            <Braces size={14} aria-hidden /> Advanced
          </button>
        </div>
      )}
      {open && (
        <InlineForm
          verb={kind === 'signal' ? 'Send signal' : `Emit ${name}`}
          run={({ payload = '' }) => sendTo(scope, run, { kind, name }, parseJson(payload))}
        >
          <label>
            Payload, as JSON
            <textarea name="payload" rows={3} spellCheck={false} defaultValue="null" />
          </label>
        </InlineForm>
      )}
    </>
  );
}
