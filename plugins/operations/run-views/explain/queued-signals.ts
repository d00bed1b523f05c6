import type { NodeView, RunView, SignalView } from './answers.ts';
import { isSimilar } from './similar-names.ts';
import { formatAgo, type Explanation, joinWords, quoteArgument } from './eligible-agents.ts';

interface SignalContext {
  run: Pick<RunView, 'run_id' | 'substate'>;
  nodes?: readonly Pick<NodeView, 'substate'>[];
  /** Those that no wait has taken, the newest first. */
  signals?: readonly SignalView[];
  now: number;
}

/** The most names that are listed. */
const MAX_NAMED = 5;

const findSimilar = (name: string, signals: readonly SignalView[]) =>
  signals.find((sent) => isSimilar(name, sent.name));

/** What ends the wait for a signal. One that was sent under nearly this name is probably a slip. */
export function explainSignalWait(name: string, { run, signals = [], now }: SignalContext): Explanation {
  const send = `svc signal ${run.run_id} ${quoteArgument(name)}`;
  const near = findSimilar(name, signals);
  if (!near) return { because: [], next: [`send it: ${send}`] };
  return {
    because: [`${near.name} was sent ${formatAgo(near.sent_at, now)}, and nothing waits for that name.`],
    next: [`send it under the name that the run waits for: ${send}`],
  };
}

/** The other signals that no wait has taken. */
export function describeQueuedSignals({ run, nodes = [], signals = [] }: SignalContext): string[] {
  const waits = [run, ...nodes].flatMap(({ substate }) => (substate?.kind === 'signal' ? [substate.name] : []));
  const told = new Set(waits.map((name) => findSimilar(name, signals)?.name));
  const others = signals.filter(({ name }) => !told.has(name));
  if (others.length === 0) return [];
  const names = [...Map.groupBy(others, ({ name }) => name)].map(([name, own]) =>
    own.length === 1 ? name : `${name} (${own.length} times)`,
  );
  const more = names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [];
  const sent = others.length === 1 ? 'One signal was sent' : `${others.length} signals were sent`;
  return [`${sent} that no wait has consumed: ${joinWords([...names.slice(0, MAX_NAMED), ...more])}.`];
}
