import { Link } from '@tanstack/react-router';
import { KeyRound, MailX, ShieldCheck, Unplug } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import type { Question, RunRecord, Summary } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Empty } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { Panel } from '../kit/page.tsx';
import { isField } from '../kit/is-field.ts';
import { roughly, visible } from '../kit/text.ts';
import { askOf, isApproval } from '../run/ask.ts';
import { describeApprovers } from '../../../../engine/runs/contract/approver-names.ts';
import { Answer, type AnswerHandle } from '../run/answer.tsx';
import { useQuestion } from '../run/question.tsx';

type Attention = NonNullable<Summary['attention']>[number];

interface Props {
  scope: Scope;
  /** Runs that wait for a person, oldest first. */
  asking: readonly RunRecord[];
  /** How many there are in all. */
  count: number;
  attention: readonly Attention[];
  again(): void;
}

/** Everything that goes on only when a person does something, and the buttons that do it. */
export function Inbox({ scope, asking, count, attention, again }: Props) {
  const now = useNow();
  const oldest = asking[0]?.substate?.since;
  const all = count + attention.length;
  return (
    <Panel
      title="Needs attention"
      flush
      aside={
        all > 0 && (
          <>
            <span className="count waiting">{all}</span>
            {oldest && <span className="small-text quiet">oldest {roughly(now - Date.parse(oldest))}</span>}
            <span className="key-hints push" aria-hidden>
              <kbd>J</kbd> next <kbd>A</kbd> approve <kbd>R</kbd> reject
            </span>
          </>
        )
      }
    >
      {all === 0 ? (
        <Empty icon={ShieldCheck} title="You're all caught up">
          Approvals, accounts and dead letters that need you appear here.
        </Empty>
      ) : (
        <ul className="inbox">
          {asking.map((run) => (
            // A run may ask again as soon as it was answered.
            <Asked key={`${run.run_id} ${run.substate!.since}`} scope={scope} run={run} again={again} />
          ))}
          {attention.map((item) => {
            const key = `${item.kind} ${item.name} ${item.graph ?? ''}`;
            return item.kind === 'handler' ? (
              <HandlerWithDeadLetters key={key} scope={scope} item={item} />
            ) : (
              <Account key={key} scope={scope} item={item} />
            );
          })}
        </ul>
      )}
      {count > asking.length && (
        <p className="inbox-more">
          <Link to="/orgs/$org/projects/$project/runs" params={scope} search={{ status: 'waiting' }}>
            All {count} waiting for a person
          </Link>
        </p>
      )}
    </Panel>
  );
}

interface ItemProps {
  mark: ReactNode;
  state: 'waiting' | 'failed';
  what: ReactNode;
  meta: readonly ReactNode[];
  children: ReactNode;
  onKeyDown?(event: KeyboardEvent): void;
}

const Item = ({ mark, state, what, meta, children, onKeyDown }: ItemProps) => (
  <li onKeyDown={onKeyDown}>
    <span className={`badge ${state}`}>{mark}</span>
    <div className="what">{what}</div>
    <div className="meta">
      {meta.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line do not move
        <span key={index}>{part}</span>
      ))}
    </div>
    <div className="acts">{children}</div>
  </li>
);

function Asked({ scope, run, again }: { scope: Scope; run: RunRecord; again(): void }) {
  const may = useMay(scope);
  const now = useNow();
  const answer = useRef<AnswerHandle>(null);
  const [gone, setGone] = useState(false);
  const question = useQuestion(scope, run);
  const { name, since, deadline } = run.substate!;
  const params = { ...scope, run: run.run_id };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'a') answer.current?.approve();
    else if (event.key === 'r') answer.current?.reject();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (gone) return null;
  const done = () => {
    setGone(true);
    again();
  };
  return (
    <Item
      mark={<ShieldCheck size={16} aria-hidden />}
      state="waiting"
      onKeyDown={onKeyDown}
      what={
        <Link to="/orgs/$org/projects/$project/runs/$run" params={params}>
          {visible(question?.message?.split('\n')[0] ?? askOf(run).title)}
        </Link>
      }
      meta={[
        <strong key="of">{visible(run.workflow)}</strong>,
        ...(run.subject ? [visible(run.subject)] : []),
        `waiting ${roughly(now - Date.parse(since))}`,
        ...(deadline ? [`times out in ${roughly(Date.parse(deadline) - now)}`] : []),
        ...(isApproval(name) || question ? [] : [`signal ${visible(name)}`]),
        ...(question?.approvers ? [`from ${visible(describeApprovers(question.approvers))}`] : []),
      ]}
    >
      {may('member') && (question ? isSimple(question) : isApproval(name)) ? (
        <Answer ref={answer} scope={scope} run={run} question={question} done={done} />
      ) : (
        <Link className="button" to="/orgs/$org/projects/$project/runs/$run" params={params}>
          Review…
        </Link>
      )}
    </Item>
  );
}

/** It is answered with a button; a form is filled in on the page of the run. */
const isSimple = ({ form, may_answer }: Question): boolean => form === undefined && may_answer;

function HandlerWithDeadLetters({ scope, item: { name, detail } }: { scope: Scope; item: Attention }) {
  const to = '/orgs/$org/projects/$project/dead-letters' as const;
  const search = { handler: name };
  return (
    <Item
      mark={<MailX size={16} aria-hidden />}
      state="failed"
      what={
        <Link to={to} params={scope} search={search}>
          Dead letters of {visible(name)}
        </Link>
      }
      meta={[<strong key="kind">Handler</strong>, visible(detail)]}
    >
      <Link className="button" to={to} params={scope} search={search}>
        Open
      </Link>
    </Item>
  );
}

function Account({ scope, item: { kind, name, state, detail, graph } }: { scope: Scope; item: Attention }) {
  const account = kind === 'account';
  const to = `/orgs/$org/projects/$project/connections${account ? '' : '/credentials'}` as const;
  return (
    <Item
      mark={account ? <Unplug size={16} aria-hidden /> : <KeyRound size={16} aria-hidden />}
      state="failed"
      what={
        <Link to={to} params={scope} hash={name}>
          {account && state === 'needs_reauth' ? 'Reconnect' : account ? 'Check' : 'Set'} {kind} {visible(name)}
        </Link>
      }
      meta={[
        <strong key="kind">{account ? 'Connection' : 'Credential'}</strong>,
        visible(detail),
        ...(graph === undefined ? [] : [`needed by graph ${visible(graph)}`]),
      ]}
    >
      <Link className="button" to={to} params={scope} hash={name}>
        {account ? 'Reconnect' : 'Open'}
      </Link>
    </Item>
  );
}
