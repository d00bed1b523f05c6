import type { NodeView, RunView, SignalView } from './answers.ts';
import { isNear } from './near.ts';
import { ago, type Explanation, list, quoted } from './takers.ts';

interface KnownSignals {
  run: Pick<RunView, 'run_id' | 'substate'>;
  nodes?: readonly Pick<NodeView, 'substate'>[];
  /** Those that no wait has taken, the newest first. */
  signals?: readonly SignalView[];
  now: number;
}

/** Names that are told of. */
const SHOWN = 5;

const nearTo = (name: string, signals: readonly SignalView[]) => signals.find((sent) => isNear(name, sent.name));

/** What ends the wait for a signal. One that was sent under nearly this name is probably a slip. */
export function signalWait(name: string, { run, signals = [], now }: KnownSignals): Explanation {
  const send = `svc signal ${run.run_id} ${quoted(name)}`;
  const near = nearTo(name, signals);
  if (!near) return { because: [], next: [`send it: ${send}`] };
  return {
    because: [`${near.name} was sent ${ago(near.sent_at, now)}, and nothing waits for that name.`],
    next: [`send it under the name that is waited for: ${send}`],
  };
}

/** The other signals that no wait has taken. */
export function queuedSignals({ run, nodes = [], signals = [] }: KnownSignals): string[] {
  const waits = [run, ...nodes].flatMap(({ substate }) => (substate?.kind === 'signal' ? [substate.name] : []));
  const told = new Set(waits.map((name) => nearTo(name, signals)?.name));
  const others = signals.filter(({ name }) => !told.has(name));
  if (others.length === 0) return [];
  const names = [...Map.groupBy(others, ({ name }) => name)].map(([name, own]) =>
    own.length === 1 ? name : `${name} (${own.length} times)`,
  );
  const more = names.length > SHOWN ? [`${names.length - SHOWN} more`] : [];
  const sent = others.length === 1 ? 'One signal was sent' : `${others.length} signals were sent`;
  return [`${sent} that no wait has taken: ${list([...names.slice(0, SHOWN), ...more])}.`];
}
