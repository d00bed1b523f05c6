import { span } from '../../../cli/output/span.ts';
import type { AgentView, DeclinedEvent, NodeView, RunView, SignalView, TypeView } from './answers.ts';
import { declinedEvents } from './declined.ts';
import { nearEvents } from './near.ts';
import { nodeLabel } from './node-label.ts';
import { signalWait } from './queued-signals.ts';
import { underWayIn } from './under-way.ts';
import { silence } from './silence.ts';
import { ago, type Explanation, quoted, takers } from './takers.ts';

interface KnownNodes {
  run: RunView;
  /** Those in progress, and their items. */
  nodes: readonly NodeView[];
  agents: readonly AgentView[];
  types?: readonly TypeView[];
  declined?: readonly DeclinedEvent[];
  signals?: readonly SignalView[];
  now: number;
}

/** Nodes that are explained; more are counted. */
const SHOWN = 10;

/** What an open run with nodes waits for, node by node. */
export function explainNodes(known: KnownNodes): Explanation {
  const { run, nodes } = known;
  // What the run as a whole waits for, such as the lease of its group, is no node of its author.
  if (nodes.length === 0 && run.substate)
    return waits(known, run.substate, (text, next = []) => ({ because: [`The run ${text}`], next }));
  if (nodes.length === 0) return { because: ['No node is in progress: the run is about to go on.'], next: [] };
  const all = nodes.slice(0, SHOWN).map((node) => explainNode(known, node));
  const more = nodes.length > SHOWN ? [`${nodes.length - SHOWN} more are in progress: svc steps ${run.run_id}`] : [];
  return {
    because: [...all.flatMap(({ because }) => because), ...more],
    next: [...new Set(all.flatMap(({ next }) => next))].slice(0, 5),
  };
}

function explainNode(known: KnownNodes, node: NodeView): Explanation {
  const { agents, now } = known;
  const { items, substate, activity, state, timeout_at } = node;
  const name = `The ${node.item === undefined ? 'node' : 'item'} ${nodeLabel(node)}`;
  const limit = timeout_at === undefined ? '' : ` It fails if it is not done by ${timeout_at}.`;
  const told = (text: string, next: string[] = []): Explanation => ({ because: [`${name} ${text}${limit}`], next });
  if (items && items.begun > 0)
    return told(
      `has ended ${items.ended} of ${items.total} items${items.failed > 0 ? `, ${items.failed} of them failed` : ''}.`,
    );
  if (state === 'backoff') {
    const why = node.error ? ` with ${node.error.code}: ${node.error.message}` : '';
    return told(
      `failed at attempt ${node.attempt}${why}. The next attempt begins at ${substate?.deadline ?? 'any moment'}.`,
    );
  }
  if (substate) return waits(known, substate, told);
  if (activity?.state === 'queued') {
    const { because, next } = takers(activity.requires ?? [], agents);
    const since = node.started_at === undefined ? '' : `, since ${ago(node.started_at, now)}`;
    return { because: [`${name} waits for an agent${since}.${limit}`, ...because], next };
  }
  const agent = agents.find(({ agent_id }) => agent_id === activity?.agent_id);
  const begun = node.started_at === undefined ? '' : `, begun ${ago(node.started_at, now)}`;
  const silent = silence(known.run, activity?.activity_id, agents);
  if (silent !== undefined) return also(told(`has begun${begun.replace(', begun', '')}.`), [silent]);
  return told(`runs${agent ? ` on the agent ${agent.name}` : ''}${begun}.${underWayIn(activity, now)}`);
}

const also = ({ because, next }: Explanation, more: readonly string[]): Explanation => ({
  because: [...because, ...more],
  next,
});

type Told = (text: string, next?: string[]) => Explanation;

function waits(known: KnownNodes, substate: NonNullable<NodeView['substate']>, told: Told): Explanation {
  const { now } = known;
  const { kind, name, since, deadline } = substate;
  const when = `since ${since} (${span(now - Date.parse(since))})${deadline ? `, at the latest until ${deadline}` : ''}`;
  switch (kind) {
    case 'sleep':
      return told(`waits until ${deadline ?? 'its time has come'}.`);
    case 'signal': {
      const { because, next } = signalWait(name, known);
      return also(told(`waits for the signal ${name} ${when}.`, next), because);
    }
    case 'event':
      return also(told(`waits for an event of type ${name} ${when}.`, [`emit one: svc emit ${quoted(name)}`]), [
        ...declinedEvents(name, known),
        ...nearEvents(name, known),
      ]);
    case 'awaiting_lease':
      return told(`waits for the lock ${name} ${when}.`, ['see who holds it: svc locks ls']);
    case 'child':
      return told(
        `waits for the run ${substate.run_id ?? ''} of ${name} that it called, ${when}.`,
        substate.run_id === undefined ? [] : [`see what that one does: svc explain ${substate.run_id}`],
      );
    default:
      return told(`waits for ${kind} ${name} ${when}.`);
  }
}
