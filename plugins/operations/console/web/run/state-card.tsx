import { useQuery } from '@tanstack/react-query';
import {
  CircleX,
  Clock3,
  Hourglass,
  type LucideIcon,
  Moon,
  Radio,
  ShieldCheck,
  Split,
  Lock as LockIcon,
} from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import type { ListRuns200, Question, RunRecord } from '../../../../../cli/generated/api.ts';
import type { Explanation } from '../../../run-views/explain/eligible-agents.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { plain } from '../kit/ansi.ts';
import { Copy } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { titleOf } from '../kit/error-title.ts';
import { JsonText } from '../kit/json-text.tsx';
import { CommandLine } from '../kit/page.tsx';
import { roughly, visible } from '../kit/text.ts';
import { CompareLink } from './actions.tsx';
import { Answer } from './answer.tsx';
import { AskForm } from './asks.tsx';
import { asksThatEnd } from './awaited-asks.ts';
import { type Ask, askOf, isApproval, messageOf } from './ask.ts';
import { Approvers, useAnswerForm, useQuestion } from './question.tsx';
import { RunLink } from './facts.tsx';
import { RerunFrom } from './journal.tsx';
import type { AnyStep } from './steps.ts';
import { rerunSite, shortWhy } from './short-why.ts';
import { useWhy } from './use-why.ts';
import { commandFor, Payload, sendable, SendFirst } from './payload.tsx';
import './cards.css';

const Markdown = lazy(() => import('../kit/markdown.tsx'));

interface Props {
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
}

/** Why the run is in its state, what to do, and the form that does it: one card in place of several. */
export function StateCard({ scope, run, steps }: Props) {
  const told = useWhy(scope, run, steps);
  const why = told && shortWhy(told, run.status);
  if (run.status === 'waiting' && run.substate) return <WaitCard scope={scope} run={run} why={why} />;
  if (run.status === 'failed') return <FailCard scope={scope} run={run} why={why} />;
  if (!why) return null;
  return <PlainCard run={run} why={why} />;
}

type Why = Explanation | undefined;

const Because = ({ why }: { why: Why }) =>
  why === undefined ? null : (
    <>
      {why.because.length > 0 && <p className="second">{why.because.map(visible).join(' ')}</p>}
      {why.next.length > 0 && (
        <ul className="hints-list">
          {why.next.map((hint) => (
            <Hint key={hint} text={visible(hint)} />
          ))}
        </ul>
      )}
    </>
  );

/** `start one: svc agent`: what follows the colon is a command, which one can copy. */
function Hint({ text }: { text: string }) {
  const at = text.indexOf(': svc ');
  const command = at < 0 ? undefined : text.slice(at + 2);
  return (
    <li>
      <span>→ {text}</span>
      {command && <Copy text={command} label="Copy the command" />}
    </li>
  );
}

const WAITS: Record<string, readonly [LucideIcon, string]> = {
  sleep: [Moon, 'Sleeping'],
  event: [Radio, 'Waiting for an event'],
  ask: [Radio, 'Waiting for an ask'],
  any: [Radio, 'Waiting for whichever comes first'],
  awaiting_lease: [LockIcon, 'Waiting for a lock'],
  child: [Split, 'Waiting for a run'],
  activity: [Hourglass, 'Waiting for an activity'],
};

function WaitCard({ scope, run, why }: { scope: Scope; run: RunRecord; why: Why }) {
  const may = useMay(scope);
  const now = useNow();
  const { kind, name, since, deadline, run_id } = run.substate!;
  const question = useQuestion(scope, run);
  const form = useAnswerForm(question);
  const approves = kind === 'signal' && (question !== undefined || isApproval(name));
  const [Icon, title] = kind === 'signal' ? signalHead(approves) : (WAITS[kind] ?? [Clock3, 'Waiting']);
  const ask = kind === 'signal' ? promptOf(run, question) : undefined;
  const asked = asksThatEnd(run.substate!);
  const sent = sendable(run.substate!);
  const ends = deadline && `${kind === 'sleep' ? 'wakes' : 'times out'} in ${roughly(Date.parse(deadline) - now)}`;
  return (
    <section className="panel flush wait-card" aria-label={title}>
      <div className="panel-head">
        <Icon size={16} aria-hidden />
        <h2>{title}</h2>
        <span className="push small-text">{[roughly(now - Date.parse(since)), ends].filter(Boolean).join(' · ')}</span>
      </div>
      <div className="card-body">
        {ask && <h3 className="ask">{visible(ask.title)}</h3>}
        {ask?.detail && (
          <Suspense fallback={null}>
            <Markdown text={ask.detail} />
          </Suspense>
        )}
        {kind !== 'signal' && kind !== 'sleep' && !(kind === 'ask' && may('member')) && (
          <dl>
            <dt>{NAMES[kind] ?? 'Name'}</dt>
            <dd>
              <code>{visible(name)}</code>
            </dd>
            {run_id && (
              <>
                <dt>Run</dt>
                <dd>
                  <RunLink scope={scope} run_id={run_id} />
                </dd>
              </>
            )}
          </dl>
        )}
        {question && <Approvers question={question} />}
        {may('member') && approves && question?.may_answer !== false && (
          <>
            {form.fields}
            <Payload key={`${kind} ${name}`} scope={scope} run={run}>
              <Answer scope={scope} run={run} question={question} data={form.data} keys />
            </Payload>
          </>
        )}
        {may('member') && !approves && (kind === 'signal' || kind === 'event') && (
          <Payload key={`${kind} ${name}`} scope={scope} run={run} />
        )}
        {may('member') && sent.length > 0 && <SendFirst key={`send ${name}`} scope={scope} run={run} waits={sent} />}
        {may('member') && asked.length > 0 && <AskForm key={`${kind} ${name}`} scope={scope} run={run} names={asked} />}
        <Because why={why} />
      </div>
      <Foot command={question ? `svc approve ${run.run_id}` : commandFor(run)} />
    </section>
  );
}

/** The message of a question says more than the last note of the run. */
const promptOf = (run: RunRecord, question: Question | undefined): Ask =>
  question?.message === undefined ? askOf(run) : messageOf(question.message);

const signalHead = (approves: boolean): readonly [LucideIcon, string] =>
  approves ? [ShieldCheck, 'Waiting for approval'] : [Radio, 'Waiting for a signal'];

const NAMES: Record<string, string> = {
  event: 'Event',
  ask: 'Ask',
  any: 'First of',
  awaiting_lease: 'Lock',
  child: 'Workflow',
  activity: 'Activity',
};

const Foot = ({ command }: { command: string }) => (
  <div className="card-foot">
    <CommandLine command={command} />
  </div>
);

const SAID_ABOVE = /the end of its (?:standard error|output):\n/;

function FailCard({ scope, run, why }: { scope: Scope; run: RunRecord; why: Why }) {
  const { title, where } = titleOf(run.error ?? { code: 'failed', message: '' });
  const may = useMay(scope);
  const said = plain(run.error?.message ?? '')
    .split(SAID_ABOVE)
    .at(-1)!
    .trim();
  const site = why?.next.map(rerunSite).find((one) => one !== undefined);
  return (
    <section className="panel flush fail-card" aria-label="Failed">
      <div className="card-body fail-body">
        <span className="badge failed">
          <CircleX size={16} aria-hidden />
        </span>
        <div className="stack">
          <h2 className="ask">{visible(title)}</h2>
          <p className="quiet small-text">
            {where && `${visible(where)} · `}
            <code>{run.error?.code}</code>
          </p>
          {said.includes('\n') && <JsonText text={said} />}
          <Because
            why={
              why && {
                ...why,
                next: site === undefined ? why.next : why.next.filter((hint) => rerunSite(hint) === undefined),
              }
            }
          />
          <div className="row">
            {site !== undefined && may('member') && (
              <RerunFrom
                scope={scope}
                run_id={run.run_id}
                site={site}
                label={`Rerun from ${visible(site.replace(/#0$/, ''))}`}
              />
            )}
            <LastSuccess scope={scope} run={run} />
          </div>
        </div>
      </div>
      <Foot command={`svc explain ${run.run_id}`} />
    </section>
  );
}

function LastSuccess({ scope, run }: { scope: Scope; run: RunRecord }) {
  const path = scoped(scope, `/runs${query({ workflow: run.workflow, status: 'succeeded', limit: 1 })}`);
  const { data } = useQuery({
    queryKey: ['last-success', path],
    queryFn: ({ signal }) => json<ListRuns200>(path, { signal }),
  });
  const [last] = data?.runs ?? [];
  if (!last) return null;
  return (
    <CompareLink scope={scope} a={last.run_id} b={run.run_id} className="button">
      Compare with last success
    </CompareLink>
  );
}

const PLAIN: Record<string, readonly [string, ReactNode]> = {
  queued: ['Waiting for an agent', <Hourglass key="icon" size={16} aria-hidden />],
  running: ['In progress', <Clock3 key="icon" size={16} aria-hidden />],
  waiting: ['Waiting', <Clock3 key="icon" size={16} aria-hidden />],
  cancelled: ['Cancelled', <CircleX key="icon" size={16} aria-hidden />],
};

function PlainCard({ run, why }: { run: RunRecord; why: Why }) {
  const [title, icon] = PLAIN[run.status] ?? PLAIN.waiting!;
  return (
    <section className="panel flush" aria-label={title}>
      <div className="panel-head">
        {icon}
        <h2>{title}</h2>
      </div>
      <div className="card-body">
        <Because why={why} />
      </div>
      <Foot command={`svc explain ${run.run_id}`} />
    </section>
  );
}
