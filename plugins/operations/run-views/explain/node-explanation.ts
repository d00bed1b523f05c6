import { formatSpan } from '../../../../cli/output/span.ts';
import type {
  AgentView,
  DeclinedEvent,
  LockView,
  NodeView,
  QuestionView,
  RunView,
  SignalView,
  TypeView,
} from './answers.ts';
import { describeDeclinedEvents } from './declined.ts';
import { describeSimilarEvents } from './similar-names.ts';
import { explainAnyWait, explainEventWait } from './event-wait.ts';
import { explainPausedHolders, type PausedHolder } from './lease-holders.ts';
import { nodeLabel } from './node-label.ts';
import { explainSignalWait } from './queued-signals.ts';
import { describeInFlight } from './in-flight.ts';
import { explainSilence } from './silence.ts';
import { type Explanation, explainEligibility, quoteArgument } from './eligible-agents.ts';

interface NodeContext {
  run: RunView;
  /** Those in progress, and their items. */
  nodes: readonly NodeView[];
  agents: readonly AgentView[];
  types?: readonly TypeView[];
  declined?: readonly DeclinedEvent[];
  signals?: readonly SignalView[];
  questions?: readonly QuestionView[];
  locks?: readonly LockView[];
  paused_holders?: readonly PausedHolder[];
  now: number;
}

/** Nodes that are explained; more are counted. */
const MAX_EXPLAINED = 10;

/** What an open run with nodes waits for, node by node. */
export function explainNodes(known: NodeContext): Explanation {
  const { run, nodes } = known;
  // What the run as a whole waits for, such as the lease of its group, is no node of its author.
  if (nodes.length === 0 && run.substate)
    return explainWait(known, run.substate, (text, next = []) => ({ because: [`The run ${text}`], next }));
  if (nodes.length === 0) return { because: ['No node is in progress: the run is about to continue.'], next: [] };
  const all = nodes.slice(0, MAX_EXPLAINED).map((node) => explainNode(known, node));
  const more =
    nodes.length > MAX_EXPLAINED
      ? [`${nodes.length - MAX_EXPLAINED} more are in progress: svc steps ${run.run_id}`]
      : [];
  return {
    because: [...all.flatMap(({ because }) => because), ...more],
    next: [...new Set(all.flatMap(({ next }) => next))].slice(0, 5),
  };
}

function explainNode(known: NodeContext, node: NodeView): Explanation {
  const { agents, now } = known;
  const { items, substate, activity, state, timeout_at } = node;
  const name = `The ${node.item === undefined ? 'node' : 'item'} ${nodeLabel(node)}`;
  const limit = timeout_at === undefined ? '' : ` It fails if it is not done by ${timeout_at}.`;
  const told = (text: string, next: string[] = []): Explanation => ({ because: [`${name} ${text}${limit}`], next });
  const span = node.started_at === undefined ? undefined : formatSpan(now - Date.parse(node.started_at));
  if (items && items.begun > 0)
    return told(
      `has ended ${items.ended} of ${items.total} items${items.failed > 0 ? `, ${items.failed} of them failed` : ''}.`,
    );
  if (state === 'backoff') {
    const why = node.error ? ` with ${node.error.code}: ${node.error.message}` : '';
    return told(
      `failed on attempt ${node.attempt}${why}. The next attempt starts at ${substate?.deadline ?? 'any moment'}.`,
    );
  }
  if (substate) return explainWait(known, substate, told);
  if (activity?.state === 'queued') {
    const { because, next } = explainEligibility(activity.requires ?? [], agents);
    const waits = span === undefined ? 'is waiting for an agent' : `has been waiting for an agent for ${span}`;
    return append(told(`${waits}.`, next), because);
  }
  const agent = agents.find(({ agent_id }) => agent_id === activity?.agent_id);
  const silent = explainSilence(known.run, activity?.activity_id, agents);
  if (silent !== undefined) return append(told(span === undefined ? 'has started.' : `started ${span} ago.`), [silent]);
  const where = agent ? ` on the agent ${agent.name}` : '';
  const runs = span === undefined ? `is running${where}` : `has been running${where} for ${span}`;
  return told(`${runs}.${describeInFlight(activity, now)}`);
}

const append = ({ because, next }: Explanation, more: readonly string[]): Explanation => ({
  because: [...because, ...more],
  next,
});

type Explain = (text: string, next?: string[]) => Explanation;

function explainWait(known: NodeContext, substate: NonNullable<NodeView['substate']>, told: Explain): Explanation {
  const { now } = known;
  const { kind, name, since, deadline } = substate;
  const until = deadline ? `; the deadline is ${deadline}` : '';
  const when = `since ${since} (${formatSpan(now - Date.parse(since))})${until}`;
  switch (kind) {
    case 'sleep':
      return told(`waits until ${deadline ?? 'it is due'}.`);
    case 'signal': {
      const { because, next } = explainSignalWait(name, known);
      return append(told(`has been waiting for the signal ${name} ${when}.`, next), because);
    }
    case 'event': {
      const { because, next } = explainEventWait(substate, known.run);
      return append(told(`has been waiting for an event of type ${name} ${when}.`, next), [
        ...because,
        ...describeDeclinedEvents(name, known),
        ...describeSimilarEvents(name, known),
      ]);
    }
    case 'ask':
      return told(`has been waiting ${when} until somebody asks ${name}.`, [
        `ask it: svc ask ${known.run.run_id} ${quoteArgument(name)}`,
      ]);
    case 'any': {
      const { first, because, next } = explainAnyWait(substate, known);
      return append(told(`has been waiting for the first of ${first} ${when}.`, next), because);
    }
    case 'awaiting_lease': {
      const lock = known.locks?.find((one) => one.group === name && one.trusted === known.run.trusted);
      const paused = lock ? explainPausedHolders(lock, known) : { because: [], next: [] };
      const next = [...paused.next, 'see who holds it: svc locks ls'];
      return append(told(`has been waiting for the lock ${name} ${when}.`, next), paused.because);
    }
    case 'child':
      return told(
        `has been waiting for the run ${substate.run_id ?? ''} of ${name}, which it called, ${when}.`,
        substate.run_id === undefined ? [] : [`see what that run is doing: svc explain ${substate.run_id}`],
      );
    default:
      return told(`has been waiting for ${kind} ${name} ${when}.`);
  }
}
