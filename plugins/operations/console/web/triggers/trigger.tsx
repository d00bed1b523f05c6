import { Link, useParams } from '@tanstack/react-router';
import { Clock, KeyRound, Pause, Play, RefreshCw, TimerReset } from 'lucide-react';
import type { TriggerView } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Loading, Problem, Status, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { Fact } from '../kit/facts.tsx';
import { EditAndMore, useNamed } from '../kit/named.tsx';
import { Panel } from '../kit/page.tsx';
import { pretty, visible } from '../kit/text.ts';
import { useChangeTrigger } from './changes.tsx';
import { TRIGGERS } from './kind.ts';
import { triggerState } from './state.ts';
import { ListName, NextPoll } from './triggers.tsx';

const FROM = '/orgs/$org/projects/$project/triggers/$trigger';

/** The page of a polling trigger: its last poll, where the next one begins, and its definition. */
export function Trigger() {
  const { trigger: name, ...scope } = useParams({ from: FROM });
  const may = useMay(scope);
  const change = useChangeTrigger(scope);
  const { data: trigger, error, isPending, refetch } = useNamed(TRIGGERS, scope, name);
  return (
    <Detail
      name={name}
      status={trigger && <State trigger={trigger} />}
      summary={trigger && <Facts scope={scope} trigger={trigger} />}
      actions={
        trigger &&
        may('member') && (
          <>
            <button type="button" onClick={() => void change(name, 'poll')}>
              <RefreshCw size={14} aria-hidden /> Poll now
            </button>
            <button type="button" onClick={() => void change(name, trigger.paused ? 'resume' : 'pause')}>
              {trigger.paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}{' '}
              {trigger.paused ? 'Resume' : 'Pause'}
            </button>
            <EditAndMore kind={TRIGGERS} scope={scope} name={name} />
          </>
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {trigger && (
        <Split
          title="Last poll"
          left={
            <div className="content">
              <Polled trigger={trigger} />
            </div>
          }
          command={`svc trigger show ${name}`}
        >
          <Panel title="Definition">
            <dl>
              <Fact name="Items that exist already">
                {trigger.from === 'now' ? 'Only new ones become events' : 'All of them become events'}
              </Fact>
              <Fact name="Fields of the connector">
                <Block text={pretty(trigger.with)} />
              </Fact>
              <Fact name="Inputs">
                <Block text={pretty(trigger.input)} />
              </Fact>
            </dl>
          </Panel>
        </Split>
      )}
    </Detail>
  );
}

function State({ trigger }: { trigger: TriggerView }) {
  const state = triggerState(trigger);
  if (state === 'active') return <Status of="healthy">Active</Status>;
  return state === 'failing' ? <Status of="failing">Failing</Status> : <Status of="paused" />;
}

const Facts = ({ scope, trigger }: { scope: Scope; trigger: TriggerView }) => (
  <>
    <HeadFact icon={RefreshCw}>
      <Link to="/orgs/$org/projects/$project/connectors/$connector" params={{ ...scope, connector: trigger.connector }}>
        <ListName trigger={trigger} />
      </Link>
    </HeadFact>
    <HeadFact icon={TimerReset}>
      <span>
        Every {trigger.every}
        {!trigger.paused && (
          <>
            , next <NextPoll trigger={trigger} />
          </>
        )}
      </span>
    </HeadFact>
    {trigger.credential && <HeadFact icon={KeyRound}>{visible(trigger.credential)}</HeadFact>}
    <HeadFact icon={Clock}>
      <span>
        Changed <Time at={trigger.set_at} />
      </span>
    </HeadFact>
  </>
);

function Polled({ trigger: { last_poll, failures, cursor } }: { trigger: TriggerView }) {
  if (last_poll === undefined) return <p className="quiet">This trigger has not polled yet.</p>;
  const { at, items, events, warning, error } = last_poll;
  return (
    <dl>
      <Fact name="When">
        <Time at={at} />
      </Fact>
      {error && (
        <Fact name={failures === 1 ? 'Failed' : `Failed ${failures} times in a row`}>
          {visible(`${error.message} (${error.code})`)}
        </Fact>
      )}
      {warning !== undefined && <Fact name="Warning">{visible(warning)}</Fact>}
      <Fact name="Items">{items}</Fact>
      <Fact name="Events">{events}</Fact>
      {cursor !== undefined && (
        <Fact name="Next poll begins at">
          <code>{visible(String(cursor))}</code>
        </Fact>
      )}
    </dl>
  );
}
