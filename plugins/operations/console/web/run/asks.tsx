import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Ask, RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Loading, Problem, Status, Time } from '../kit/basics.tsx';
import { DialogForm } from '../kit/dialog-form.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { parseJson } from '../kit/json.ts';
import { JsonText } from '../kit/json-text.tsx';
import { List } from '../kit/list.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { CommandLine, Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { asksThatEnd, awaitedAsks } from './awaited-asks.ts';
import { askCommand } from './payload.tsx';
import { type AnyStep, OPEN } from './steps.ts';
import { runPath } from './use-run.ts';
import './cards.css';

/** So many are shown before somebody wants more. */
const FIRST = { limit: 10 };
/** The server's own default. */
const TIMEOUT = '5m';

interface Props {
  scope: Scope;
  run: RunRecord;
  /** Names for which the run waits. */
  names: readonly string[];
}

function useSendAsk(scope: Scope, run_id: string) {
  const client = useQueryClient();
  const path = `${runPath(scope, run_id)}/asks`;
  return async ({ name = '', payload = '', timeout = '' }: Record<string, string>) => {
    const body = { name, payload: parseJson(payload), ...(timeout.trim() !== '' && { timeout: timeout.trim() }) };
    await json<Ask>(path, { method: 'POST', body });
    await readAgain(client, listKey(path, FIRST));
  };
}

/** What is asked; a run that waits for several names takes any of them. */
const AskFields = ({ names }: Pick<Props, 'names'>) => (
  <>
    <label>
      Name
      <input name="name" required maxLength={128} spellCheck={false} defaultValue={names[0] ?? ''} />
      {names.length > 1 && <span className="hint">The run waits for {names.map(visible).join(', ')}.</span>}
    </label>
    <label>
      Payload, as JSON
      <textarea name="payload" rows={3} spellCheck={false} defaultValue="null" />
    </label>
    <label>
      Time to answer
      <input name="timeout" maxLength={32} spellCheck={false} placeholder={TIMEOUT} />
      <span className="hint">A duration such as 30s or 2h, at most 30d. Default: {TIMEOUT}.</span>
    </label>
  </>
);

/** Asks the run in the card that says that it waits for it. */
export const AskForm = ({ scope, run, names }: Props) => (
  <InlineForm verb="Ask" run={useSendAsk(scope, run.run_id)}>
    <AskFields key={names.join(' ')} names={names} />
  </InlineForm>
);

/** What the run was asked, newest first, with its answers. Nothing for a run that is never asked. */
export function Asks({ scope, run, steps }: { scope: Scope; run: RunRecord; steps: readonly AnyStep[] }) {
  const client = useQueryClient();
  const path = `${runPath(scope, run.run_id)}/asks`;
  const { items = [] } = usePaged<'asks', Ask>('asks', path, FIRST);
  const names = awaitedAsks(run, steps);
  useLive(scope, `run:${run.run_id}`, (kind) => {
    if (kind !== 'log') void readAgain(client, listKey(path, FIRST));
  });
  return names.length === 0 && items.length === 0 ? null : (
    <AsksPanel scope={scope} run={run} names={names} path={path} />
  );
}

function AsksPanel({ scope, run, names, path }: Props & { path: string }) {
  const may = useMay(scope);
  const open = OPEN.includes(run.status);
  // An ask that is queued changes nothing of the run, so that no stream tells of it.
  const list = usePaged<'asks', Ask>('asks', path, FIRST, open ? { again_ms: AGAIN_MS } : {});
  const send = useSendAsk(scope, run.run_id);
  // The card above has the form where the run itself waits.
  const beside = open && (run.substate === undefined || asksThatEnd(run.substate).length === 0);
  const asked = names.length > 0 ? names : [list.items?.[0]?.name ?? ''];
  return (
    <Panel
      title="Asks"
      flush
      aside={
        beside &&
        may('member') && (
          <span className="push">
            <DialogForm label="Ask" title="Ask the run" verb="Ask" run={send}>
              <AskFields names={asked} />
            </DialogForm>
          </span>
        )
      }
      foot={beside && <CommandLine command={askCommand(run, asked[0])} />}
    >
      {beside && names.length > 0 && (
        <p className="sect-lead">The run is waiting to be asked {names.map(visible).join(', ')}.</p>
      )}
      <List list={list} empty="Nobody has asked this run yet." more="Show earlier asks">
        {(asks) => asks.map((ask, at) => <AskRow key={ask.ask_id} path={path} ask={ask} first={at === 0} />)}
      </List>
    </Panel>
  );
}

interface RowProps {
  path: string;
  ask: Ask;
  /** It is the newest, which stands open when it comes. */
  first: boolean;
}

const STATES: Record<Ask['state'], readonly [string, string]> = {
  open: ['waiting', 'Waiting for the answer'],
  answered: ['succeeded', 'Answered'],
  timed_out: ['failed', 'No answer in time'],
  run_ended: ['cancelled', 'The run ended without an answer'],
};

function AskRow({ path, ask, first }: RowProps) {
  const [open, setOpen] = useState(first);
  const { name, by, sent_at, delivered_at, ended_at, deadline, state } = ask;
  const [hue, words] = STATES[state];
  return (
    <details className="sect ask-row" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className="clip">{visible(name)}</span> <Status of={hue}>{words}</Status>
        <span className="push quiet">
          <Time at={ended_at ?? sent_at} />
        </span>
      </summary>
      <div className="in">
        <p className="second">
          {by === undefined ? 'Asked' : `${visible(by)} asked`} <Time at={sent_at} />
          {state === 'open' &&
            (delivered_at === undefined ? '; the run has not taken the ask yet' : '; the run has it')}
          .
          {state === 'open' && (
            <>
              {' '}
              The time to answer ends <Time at={deadline} />.
            </>
          )}
        </p>
        {open && state === 'answered' && <Answer path={`${path}/${encodeURIComponent(ask.ask_id)}`} />}
      </div>
    </details>
  );
}

/** Lists are without answers: each is read when somebody looks at it, and does not change. */
function Answer({ path }: { path: string }) {
  const read = useQuery({
    queryKey: ['ask', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<Ask>(path, { signal }),
  });
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Loading />;
  return <JsonText text={JSON.stringify(read.data.answer ?? null, null, 2)} />;
}
