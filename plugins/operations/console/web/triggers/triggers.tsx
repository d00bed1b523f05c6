import { useParams, useSearch } from '@tanstack/react-router';
import { Pause, Play, RefreshCw } from 'lucide-react';
import type { TriggerView } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { StatusIcon, Time } from '../kit/basics.tsx';
import { editAction, NamedList, removeAction } from '../kit/named.tsx';
import { visible } from '../kit/text.ts';
import { useChangeTrigger } from './changes.tsx';
import { TRIGGERS } from './kind.ts';
import { triggerState } from './state.ts';

const FROM = '/orgs/$org/projects/$project/triggers';

export function Triggers() {
  const scope = useParams({ from: FROM });
  const address = useSearch({ from: FROM });
  const mayChange = useMay(scope)('member');
  const change = useChangeTrigger(scope);
  return (
    <NamedList<TriggerView>
      kind={TRIGGERS}
      scope={scope}
      address={address}
      may={mayChange}
      mark={(trigger) => <Mark trigger={trigger} />}
      columns={[
        { name: 'List', look: 'second', cell: (trigger) => <ListName trigger={trigger} /> },
        { name: 'Every', look: 'c-short c-wide', cell: ({ every }) => every },
        { name: 'Last poll', look: 'c-state second', cell: (trigger) => <LastPoll trigger={trigger} /> },
        { name: 'Next poll', look: 'c-end', cell: (trigger) => <NextPoll trigger={trigger} /> },
      ]}
      second={(trigger) => (
        <>
          <ListName trigger={trigger} />
          <span className="push">
            <NextPoll trigger={trigger} />
          </span>
        </>
      )}
      actions={({ name, paused }, of) => [
        { icon: RefreshCw, label: 'Poll now', run: () => void change(name, 'poll') },
        paused
          ? { icon: Play, label: 'Resume', run: () => void change(name, 'resume') }
          : { icon: Pause, label: 'Pause', run: () => void change(name, 'pause') },
        editAction(of),
        removeAction(of),
      ]}
    />
  );
}

const Mark = ({ trigger }: { trigger: TriggerView }) => {
  const state = triggerState(trigger);
  if (state === 'active') return <RefreshCw className="mark" size={16} aria-hidden />;
  return <StatusIcon of={state} />;
};

export const ListName = ({ trigger: { connector, trigger } }: { trigger: TriggerView }) => (
  <span className="clip">{visible(`${connector} ${trigger}`)}</span>
);

/** The events of the last poll, or why it failed. */
export function LastPoll({ trigger: { last_poll } }: { trigger: TriggerView }) {
  if (last_poll === undefined) return <span className="quiet">Not yet</span>;
  const { at, events, error } = last_poll;
  return (
    <span className="clip" title={visible(error?.message ?? last_poll.warning ?? '')}>
      {error ? visible(error.code) : `${events} ${events === 1 ? 'event' : 'events'}`}, <Time at={at} />
    </span>
  );
}

export const NextPoll = ({ trigger: { paused, next_poll } }: { trigger: TriggerView }) =>
  paused || next_poll === undefined ? <span className="quiet">Paused</span> : <Time at={next_poll} />;
