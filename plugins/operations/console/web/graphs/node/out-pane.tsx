import { Link } from '@tanstack/react-router';
import { Pencil, Pin, PinOff } from 'lucide-react';
import { useState } from 'react';
import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import type { Scope } from '../../api/paths.ts';
import { Copy, Problem, Status } from '../../kit/basics.tsx';
import { useNow } from '../../kit/clock.ts';
import { took, visible } from '../../kit/text.ts';
import { toast } from '../../kit/toasts.tsx';
import { nodeName } from '../canvas/node-names.ts';
import type { GraphNode } from '../document.ts';
import type { ExpressionNames } from '../expressions/names.ts';
import { DataTables, DataTree } from './data-view.tsx';
import { type View, ViewChoice } from './in-pane.tsx';
import { type Pinned, pinOf } from './pins.ts';
import { SampleForm } from './sample-form.tsx';
import type { Trial } from './use-trial.ts';

interface Props {
  scope: Scope;
  node: GraphNode;
  /** Of the last run, without what is pinned. */
  names: ExpressionNames;
  record: NodeRecord | undefined;
  pinned: Pinned;
  trial: Trial;
}

/** The shape of what comes, for a sample that somebody writes. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  'trigger.webhook': { payload: { body: { id: 1 } } },
  'trigger.event': { payload: { id: 1 } },
};

/** What a node gave: when it was tried alone, else in the last run. */
export function OutPane({ scope, node, names, record, pinned, trial }: Props) {
  const [view, setView] = useState<View>('tree');
  const [editing, setEditing] = useState(false);
  const isTrigger = node.type.startsWith('trigger.');
  const now = useNow();
  const tried = trial.run_id !== undefined || trial.error !== undefined || trial.busy;
  const shown = tried ? trial.record : record;
  const run_id = tried ? trial.run_id : names.from;
  const pin = pinOf(node.id);
  const isPinned = Object.hasOwn(pinned.pins, pin);
  const output = isPinned ? pinned.pins[pin] : tried ? shown?.output : names.sample?.nodes?.[node.id]?.output;
  const has = output !== undefined && (isPinned || shown?.state === 'succeeded');
  const roots = [{ path: ['nodes', node.id, 'output'], title: 'output', value: output }];
  const setPin = (value: unknown) => {
    try {
      pinned.pin(pin, value);
    } catch (error) {
      toast((error as Error).message, { state: 'failed' });
    }
  };
  return (
    <section className="node-pane pane-out" aria-label="Data out">
      <div className="pane-head">
        <h3>Out</h3>
        {isPinned ? (
          <span className="quiet">
            <Pin size={12} aria-hidden /> Sample pinned
          </span>
        ) : (
          <span role="status">{state(trial, tried, shown, now)}</span>
        )}
        <ViewChoice view={view} label="Show output data as" set={setView} />
      </div>
      {trial.error !== undefined && <Problem error={trial.error} />}
      {run_id && !isPinned && shown && (
        <p className="quiet">
          {tried ? 'Tried alone in run ' : 'From run '}
          <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run_id }} target="_blank">
            <span className="mono">{run_id.slice(-6)}</span>
            <span className="hidden">, in another tab</span>
          </Link>
        </p>
      )}
      {shown?.error && !isPinned && (
        <div className="node-error" role="alert">
          <code>{visible(shown.error.code)}</code>
          <pre>{visible(shown.error.message)}</pre>
        </div>
      )}
      {tried && shown?.substate && (
        <p className="quiet">
          It is waiting for {visible(shown.substate.kind.replaceAll('_', ' '))} {visible(shown.substate.name)}. The
          run’s page has the form that ends the wait.
        </p>
      )}
      {has &&
        (view === 'tree' ? (
          <DataTree label="Output data" roots={roots} />
        ) : (
          <DataTables label="Output data, as tables" roots={roots} />
        ))}
      {!has && !shown && !tried && (
        <p className="quiet">
          {isTrigger
            ? 'Nothing has arrived yet. Write a sample, so that later nodes can use its members.'
            : 'No run has reached this node yet. Try it alone, or run the draft.'}
        </p>
      )}
      {isTrigger && !has && (
        <div className="row">
          <button type="button" className="small" onClick={() => setEditing(true)}>
            <Pencil size={14} aria-hidden /> Write a sample
          </button>
        </div>
      )}
      {editing && (
        <SampleForm
          name={nodeName(node)}
          value={SAMPLES[node.type]}
          pin={(value) => pinned.pin(pin, value)}
          close={() => setEditing(false)}
        />
      )}
      {(has || isPinned) && (
        <div className="row">
          {isPinned ? (
            <button type="button" className="small" onClick={() => setPin(undefined)}>
              <PinOff size={14} aria-hidden /> Unpin
            </button>
          ) : (
            <button type="button" className="small" onClick={() => setPin(output)}>
              <Pin size={14} aria-hidden /> Pin as sample
            </button>
          )}
          <Copy text={JSON.stringify(output, null, 2)} label="Copy JSON" />
        </div>
      )}
    </section>
  );
}

function state(trial: Trial, tried: boolean, shown: NodeRecord | undefined, now: number) {
  const word = shown?.substate ? 'waiting' : shown?.state;
  if (tried && !shown) {
    // A run that ended before its node began says why itself.
    if (trial.run && !trial.busy) return <Status of={trial.run.status} />;
    return trial.busy ? <Status of="queued" /> : null;
  }
  if (!shown || !word) return null;
  const time = took(shown, now);
  return (
    <>
      <Status of={word === 'waiting' && !shown.substate ? 'queued' : word} /> <span className="quiet num">{time}</span>
    </>
  );
}
