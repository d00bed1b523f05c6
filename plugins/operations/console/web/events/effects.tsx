import type { ShownEvent } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, StatusIcon, Time } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';
import { stateWord } from '../kit/state.ts';
import { count, visible } from '../kit/text.ts';
import { ShortRun, ThingLink } from './links.tsx';

type Effect = ShownEvent['deliveries'][number];

/** Waits and cancels are named by their run. */
const isNamed = (effect: Effect): effect is Effect & { reaction: 'handler' | 'webhook' } =>
  effect.reaction === 'handler' || effect.reaction === 'webhook';

/** What the event did: the handlers and runs that received it, as chips, and why others declined it. */
export function Effects({ scope, event: { deliveries, more } }: { scope: Scope; event: ShownEvent }) {
  return (
    <Panel title="Effects">
      {deliveries.length === 0 ? (
        <Empty>No handler, webhook or run in this project reacts to this type and key.</Empty>
      ) : (
        <ul className="plain effects" aria-label="Effects">
          {deliveries.map((effect) => (
            <EffectItem key={`${effect.reaction} ${effect.name} ${effect.run_id}`} scope={scope} effect={effect} />
          ))}
        </ul>
      )}
      {more !== undefined && more > 0 && <p className="quiet">And {more} more waits and cancellations.</p>}
    </Panel>
  );
}

const EffectItem = ({ scope, effect }: { scope: Scope; effect: Effect }) => (
  <li>
    <div className="row">
      <span className="chip-link">
        <StatusIcon of={effect.state} silent />
        {effect.reaction} {isNamed(effect) && <ThingLink scope={scope} kind={effect.reaction} name={effect.name} />}
      </span>
      {visible(stateWord(effect.state))}
      {effect.run_id && <ShortRun scope={scope} run_id={effect.run_id} />}
    </div>
    {effect.reason && <div className="quiet">{visible(effect.reason)}</div>}
    {effect.waits && (
      <div className="quiet">
        Waits for its {visible(effect.waits.for)}
        {effect.waits.until && (
          <>
            {' '}
            until <Time at={effect.waits.until} />
          </>
        )}
        {effect.waits.others > 0 &&
          `, with ${count(effect.waits.others)} ${effect.waits.others === 1 ? 'other' : 'others'}`}
      </div>
    )}
  </li>
);
