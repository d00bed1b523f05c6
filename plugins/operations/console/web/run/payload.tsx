import { Braces } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { shellQuote } from '../kit/text.ts';
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

/** Sends a payload of one's own to what waits. */
export function Payload({ scope, run, children }: Props) {
  const [open, setOpen] = useState(children === undefined);
  const { kind, name } = run.substate!;
  const send = (payload: unknown) => {
    if (kind === 'signal') return json(signalPath(scope, run, name), { method: 'POST', body: payload });
    const key = run.subject;
    const body = { type: name, payload, ...(key !== undefined && { key }) };
    return json(scoped(scope, '/events'), { method: 'POST', body });
  };
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
          run={({ payload = '' }) => send(parseJson(payload))}
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
