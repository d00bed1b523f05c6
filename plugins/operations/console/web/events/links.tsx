import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Event } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Name, Tag } from '../kit/basics.tsx';
import { visible } from '../kit/text.ts';

const RUN = /^run_[0-9A-Z]{26}$/;

export const EventLink = ({ scope, event, children }: { scope: Scope; event: string; children?: ReactNode }) => (
  <Link
    to="/orgs/$org/projects/$project/events/$event"
    params={{ ...scope, event }}
    className={children ? undefined : 'mono'}
  >
    {children ?? event}
  </Link>
);

type Origin = Pick<Event, 'source' | 'source_name' | 'trusted'>;

/** The end of its id, as the list of runs has it. */
export const ShortRun = ({ scope, run_id }: { scope: Scope; run_id: string }) => (
  <Link
    to="/orgs/$org/projects/$project/runs/$run"
    params={{ ...scope, run: run_id }}
    className="mono"
    title={run_id}
    aria-label={`Run ${run_id.slice(-6)}`}
  >
    {run_id.slice(-6)}
  </Link>
);

/** The kind of its source, with a link to the run, hook, webhook or schedule. */
export const From = ({ scope, event }: { scope: Scope; event: Origin }) => (
  <>
    {event.source} <SourceName scope={scope} event={event} />
    {!event.trusted && (
      <>
        {' '}
        <Tag>untrusted</Tag>
      </>
    )}
  </>
);

function SourceName({ scope, event: { source, source_name: name } }: { scope: Scope; event: Origin }) {
  if (name === '') return null;
  if (RUN.test(name)) return <ShortRun scope={scope} run_id={name} />;
  if (source === 'hook' || source === 'schedule') return <ThingLink scope={scope} kind={source} name={name} />;
  if (source === 'forge') return <ThingLink scope={scope} kind="webhook" name={name} />;
  return <>{visible(name)}</>;
}

interface ThingProps {
  scope: Scope;
  kind: 'handler' | 'hook' | 'schedule' | 'webhook';
  name: string;
}

const PROJECT = '/orgs/$org/projects/$project';

/** A handler, hook, schedule or webhook by its name, with a link to its page. */
export function ThingLink({ scope, kind, name }: ThingProps) {
  const to = {
    handler: { to: `${PROJECT}/handlers/$handler`, params: { ...scope, handler: name } },
    hook: { to: `${PROJECT}/hooks/$hook`, params: { ...scope, hook: name } },
    schedule: { to: `${PROJECT}/schedules/$schedule`, params: { ...scope, schedule: name } },
    webhook: { to: `${PROJECT}/webhooks/$webhook`, params: { ...scope, webhook: name } },
  } as const;
  return (
    <Link {...to[kind]}>
      <Name>{name}</Name>
    </Link>
  );
}
