import { describeApprovers } from '../../../engine/runs/contract/approver-names.ts';
import type { NodeView, QuestionView, RunView, SignalView } from './answers.ts';
import { isSimilar } from './similar-names.ts';
import { formatAgo, type Explanation, joinWords, quoteArgument } from './eligible-agents.ts';

interface SignalContext {
  run: Pick<RunView, 'run_id' | 'substate'>;
  nodes?: readonly Pick<NodeView, 'substate'>[];
  /** Those that no wait has taken, the newest first. */
  signals?: readonly SignalView[];
  /** What the run asks people. */
  questions?: readonly QuestionView[];
  now: number;
}

/** The most names that are listed. */
const MAX_NAMED = 5;

const findSimilar = (name: string, signals: readonly SignalView[]) =>
  signals.find((sent) => isSimilar(name, sent.name));

/** What ends the wait for a signal. One that was sent under nearly this name is probably a slip. */
export function explainSignalWait(
  name: string,
  { run, signals = [], questions = [], now }: SignalContext,
): Explanation {
  const question = questions.find((one) => one.name === name);
  if (question) return explainQuestion(question, run.run_id);
  const send = `svc signal ${run.run_id} ${quoteArgument(name)}`;
  const near = findSimilar(name, signals);
  if (!near) return { because: [], next: [`send it: ${send}`] };
  return {
    because: [`${near.name} was sent ${formatAgo(near.sent_at, now)}, and nothing waits for that name.`],
    next: [`send it under the name that the run waits for: ${send}`],
  };
}

/** Signals from before the wait do not answer it, so that those that were sent are not the point. */
function explainQuestion({ name, message, form, approvers }: QuestionView, run_id: string): Explanation {
  const asked = message === undefined ? [] : [`It asks: ${message}`];
  const answer = `${run_id} ${quoteArgument(name)}`;
  return {
    because: [...asked, ...describeForm(form), `Answers are accepted from ${describeApprovers(approvers)}.`],
    next: [`approve it: svc approve ${answer}`, `reject it: svc reject ${answer}`],
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

/** The fields of the form, as `svc approve --data` takes them. A schema without fields has no short form. */
function describeForm(form: QuestionView['form']): string[] {
  const { properties, required } = (form ?? {}) as { properties?: unknown; required?: unknown };
  if (!isObject(properties)) return [];
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, field]) => describeField(name, field, names.includes(name)));
  if (fields.length === 0) return [];
  const more = fields.length > MAX_NAMED ? [`${fields.length - MAX_NAMED} more`] : [];
  return [`The answer has these fields: ${joinWords([...fields.slice(0, MAX_NAMED), ...more])}.`];
}

/** `amount (number, required)`, `via (card|cash, by default card)`, `note (text)`. */
function describeField(name: string, field: unknown, is_required: boolean): string {
  const { type, format, enum: choices, default: standard } = isObject(field) ? field : {};
  const kind = Array.isArray(choices) ? choices.map(formatScalar).join('|') : (format ?? type);
  const notes = [
    ...(typeof kind === 'string' ? [kind === 'textarea' ? 'text' : shorten(kind)] : []),
    ...(is_required ? ['required'] : []),
    ...(standard === undefined ? [] : [`by default ${shorten(formatScalar(standard))}`]),
  ];
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const formatScalar = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const MAX_FIELD_TEXT = 80;
const shorten = (text: string): string => (text.length > MAX_FIELD_TEXT ? `${text.slice(0, MAX_FIELD_TEXT)}…` : text);
