import { formatSpan } from '../../../../cli/output/span.ts';
import type { AgentView, RunView } from './answers.ts';

type Claim = NonNullable<RunView['claims']>[number];

/** Agents renew three times a lease: one that has missed the second time is late. */
const LATE_FRACTION = 0.5;

/** What an agent that is not heard of holds, in a sentence; undefined when all is well with it, or nobody knows. */
export function explainSilence(
  run: RunView,
  activity_id: string | undefined,
  agents: readonly AgentView[],
): string | undefined {
  const claim = activity_id === undefined ? undefined : run.claims?.find((one) => one.activity_id === activity_id);
  return claim && describeSilence(claim, agents);
}

/** The same of the program of a script, which no other activity has begun. */
export function explainScriptSilence(run: RunView, agents: readonly AgentView[]): string | undefined {
  const claim = run.claims?.find(({ activity }) => activity === MAIN);
  return claim && describeSilence(claim, agents);
}

/** The server said which activities are held, and nobody holds the program of the script or function. */
export const isAbandoned = ({ kind, claims }: RunView): boolean =>
  (kind === 'script' || kind === 'function') &&
  claims !== undefined &&
  claims.every(({ activity }) => activity !== MAIN);

const MAIN = 'main';

function describeSilence(
  { agent_id, silent_ms, last_sign_at, ends_at }: Claim,
  agents: readonly AgentView[],
): string | undefined {
  const agent = agents.find((one) => one.agent_id === agent_id);
  const lease_ms = Date.parse(ends_at) - Date.parse(last_sign_at);
  const gone = agent !== undefined && agent.state !== 'online';
  if (!gone && silent_ms <= lease_ms * LATE_FRACTION) return undefined;
  const who = agent ? `the agent ${agent.name}` : `the agent ${agent_id}`;
  return `Nothing has been received from ${who} for ${formatSpan(silent_ms)}${gone ? ', and its connection is lost' : ''}. Unless it comes back, the work starts again at ${ends_at}, as soon as an agent is free.`;
}
