import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ShownEvent } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, Name, StatusIcon } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';
import { stateWord } from '../kit/state.ts';
import { visible } from '../kit/text.ts';
import { ShortRun } from './links.tsx';

type Effect = ShownEvent['deliveries'][number];

/** What the event did: the handlers and runs that received it, as chips, and why others declined it. */
export function Effects({ scope, event: { deliveries, more } }: { scope: Scope; event: ShownEvent }) {
  return (
    <Panel title="Effects">
      {deliveries.length === 0 ? (
        <Empty>No handler, webhook, wait or cancel of the project matches this type and key.</Empty>
      ) : (
        <ul className="plain effects" aria-label="Effects">
          {deliveries.map((effect) => (
            <EffectItem key={`${effect.reaction} ${effect.name} ${effect.run_id}`} scope={scope} effect={effect} />
          ))}
        </ul>
      )}
      {more !== undefined && more > 0 && <p className="quiet">And {more} more waits and cancels.</p>}
    </Panel>
  );
}

const EffectItem = ({ scope, effect }: { scope: Scope; effect: Effect }) => (
  <li>
    <div className="row">
      <span className="chip-link">
        <StatusIcon of={effect.state} silent />
        {effect.reaction} <Reactor scope={scope} effect={effect} />
      </span>
      {visible(stateWord(effect.state))}
      {effect.run_id && <ShortRun scope={scope} run_id={effect.run_id} />}
    </div>
    {effect.reason && <div className="quiet">{visible(effect.reason)}</div>}
  </li>
);

/** The handler or webhook by its name, with a link to it; waits and cancels are named by their run. */
function Reactor({ scope, effect: { reaction, name } }: { scope: Scope; effect: Effect }): ReactNode {
  const text = <Name>{name}</Name>;
  if (reaction === 'handler')
    return (
      <Link to="/orgs/$org/projects/$project/handlers/$handler" params={{ ...scope, handler: name }}>
        {text}
      </Link>
    );
  if (reaction === 'webhook')
    return (
      <Link to="/orgs/$org/projects/$project/webhooks/$webhook" params={{ ...scope, webhook: name }}>
        {text}
      </Link>
    );
  return null;
}
