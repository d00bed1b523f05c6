import type { DeclinedEvent, RunView, TypeView } from './answers.ts';
import { describeDeclinedEvents } from './declined.ts';
import { type Explanation, joinWords, quoteArgument } from './eligible-agents.ts';
import { describeSimilarEvents } from './similar-names.ts';

type Wait = Pick<NonNullable<RunView['substate']>, 'name' | 'when' | 'values'>;

type AnyWait = Pick<NonNullable<RunView['substate']>, 'name' | 'any'>;

/** Characters that are shown of a condition, and of the values that it reads. */
const MAX_QUOTED = 500;

const short = (text: string): string => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);

/** Which events end a wait, and how to emit one that does. `one_of_several`: other things end it too. */
export function explainEventWait(
  wait: Wait,
  run: Pick<RunView, 'run_id' | 'subject'>,
  one_of_several = false,
): Explanation {
  const { name, when, values } = wait;
  const emit = `svc emit ${quoteArgument(name)}`;
  if (when === undefined) return { because: [], next: [`emit one: ${emit}`] };
  const read = values === undefined ? '' : `, with ${short(describeValues(values))}`;
  const because = [
    `Only an event${one_of_several ? ` of type ${name}` : ''} for which this is true ends it: ${short(when)}${read}.`,
  ];
  const event = findMatch(when, { run: { id: run.run_id, subject: run.subject }, ...values });
  if (event === undefined)
    return { because, next: [`emit one for which the condition is true: ${emit} --payload '<json>'`] };
  const key = event.key === undefined ? '' : ` --key ${quoteArgument(String(event.key))}`;
  const payload = event.payload === undefined ? '' : ` --payload ${quoteArgument(JSON.stringify(event.payload))}`;
  return { because, next: [`emit one that matches: ${emit}${key}${payload}`] };
}

interface Awaiting {
  run: Pick<RunView, 'run_id' | 'subject'>;
  types?: readonly TypeView[] | undefined;
  declined?: readonly DeclinedEvent[] | undefined;
  now: number;
}

/** What ends a wait for the first of several things, in words, and how to send each of them. */
export function explainAnyWait({ name, any = [] }: AnyWait, known: Awaiting): Explanation & { first: string } {
  const { run_id } = known.run;
  const all = any.map((one): Explanation => {
    if (one.kind === 'signal')
      return { because: [], next: [`send it: svc signal ${run_id} ${quoteArgument(one.name)}`] };
    if (one.kind === 'ask') return { because: [], next: [`ask it: svc ask ${run_id} ${quoteArgument(one.name)}`] };
    const { because, next } = explainEventWait(one, known.run, true);
    return {
      because: [...because, ...describeDeclinedEvents(one.name, known), ...describeSimilarEvents(one.name, known)],
      next,
    };
  });
  return {
    first: any.length === 0 ? name : joinWords(any.map((one) => `${one.kind}:${one.name}`)),
    because: all.flatMap(({ because }) => because),
    next: all.flatMap(({ next }) => next),
  };
}

const describeValues = (values: Members): string =>
  Object.entries(values)
    .map(([root, value]) => `${root} = ${JSON.stringify(value)}`)
    .join(', ');

type Members = { [name: string]: unknown };

const OF_EVENT = /^event\.(payload|key)((?:\.[A-Za-z_]\w*)*)$/;
const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
const LITERAL = /^(?:-?\d+(?:\.\d+)?|true|false|null|"[^"\\]*"|'[^'\\]*')$/;

/** An event for which a condition is true that only compares members of the event with values; undefined for others. */
function findMatch(when: string, scope: Members): { key?: unknown; payload?: unknown } | undefined {
  const event: Members = Object.create(null);
  for (const part of when.split('&&')) {
    const sides = part.split('==').map((side) => side.trim());
    const [left = '', right = 'true'] = OF_EVENT.test(sides[0]!) ? sides : sides.toReversed();
    const path = sides.length <= 2 ? OF_EVENT.exec(left) : null;
    const value = path ? read(right, scope) : undefined;
    if (path === null || value === undefined) return undefined;
    if (!assign(event, [path[1]!, ...path[2]!.split('.').slice(1)], value)) return undefined;
  }
  return event;
}

function read(text: string, scope: Members): unknown {
  if (LITERAL.test(text)) return JSON.parse(text.startsWith("'") ? JSON.stringify(text.slice(1, -1)) : text);
  if (!PATH.test(text)) return undefined;
  let value: unknown = scope;
  for (const member of text.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return undefined;
    value = (value as Members)[member];
  }
  return value;
}

/** False when another part of the condition requires something else there. */
function assign(event: Members, path: readonly string[], value: unknown): boolean {
  let holder = event;
  for (const member of path.slice(0, -1)) {
    const inner = (holder[member] ??= Object.create(null) as Members);
    if (typeof inner !== 'object' || inner === null) return false;
    holder = inner as Members;
  }
  const last = path.at(-1)!;
  if (last in holder) return false;
  holder[last] = value;
  return true;
}
