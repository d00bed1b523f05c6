import { formatSpan } from '../../../../cli/output/span.ts';
import { ISOLATES } from '../../../engine/runs/contract/capabilities.ts';
import type { AgentView } from './answers.ts';

export interface Explanation {
  /** Sentences; the answer comes first. */
  because: string[];
  /** What to do; empty when there is nothing to do. */
  next: string[];
}

export const formatAgo = (time: string, now: number): string => `${formatSpan(now - Date.parse(time))} ago`;
export const joinWords = (texts: readonly string[], word = 'and'): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;

/** Whether an agent can take work with these requirements, and if not, why. */
export function explainEligibility(
  requires: readonly string[],
  agents: readonly AgentView[],
): Explanation & { capable: boolean } {
  const online = agents.filter(({ state }) => state === 'online');
  const unserved = explainUnserved(requires, online);
  if (unserved !== undefined) return unserved;
  const named = requires.filter((need) => need !== ISOLATES);
  const isolated = named.length < requires.length;
  const needs = describeRequirements(named, isolated);
  if (online.length === 0)
    return {
      capable: false,
      because: [`No agent is online.${needs}`],
      next: [`start one: svc agent${capabilityFlags(named)}`],
    };
  const capable = online.filter((agent) => describeObstacles(agent, named, isolated).length === 0);
  if (capable.length > 0) {
    const who = joinWords(
      capable.slice(0, 5).map(({ name }) => name),
      'or',
    );
    const turn = isolated
      ? ' Trusted work goes first, and untrusted work takes only its share of the slots (SVC_UNTRUSTED_SLOTS), within the limits of a run and a project (SVC_UNTRUSTED_RUN_LIMITS, SVC_UNTRUSTED_PROJECT_LIMITS).'
      : '';
    return { capable: true, because: [`${who} can run it as soon as a slot is free.${needs}${turn}`], next: [] };
  }
  const lacking = online
    .slice(0, 5)
    .map((agent) => `${agent.name} ${joinWords(describeObstacles(agent, named, isolated))}`);
  const more = online.length > 5 ? [`${online.length - 5} more cannot run it either`] : [];
  const because = `No online agent can run it: ${joinWords([...lacking, ...more])}.${needs}`;
  const machine = isolated ? ', on a machine that can isolate programs (docs/security.md)' : '';
  return {
    capable: false,
    because: [because],
    next: [`start a capable agent: svc agent${capabilityFlags(named)}${machine}`],
  };
}

/** The beginning of the capabilities of workers: `function:<name>`, and `function:<name>:<version>`. */
const FUNCTION = 'function:';

/** What a run of a function waits for when no worker serves it. */
function explainUnserved(
  requires: readonly string[],
  online: readonly AgentView[],
): (Explanation & { capable: false }) | undefined {
  const need = requires.find((capability) => capability.startsWith(FUNCTION));
  if (need === undefined || online.some(({ capabilities }) => capabilities.includes(need))) return undefined;
  const [, name = '', version] = need.split(':');
  const others = online.filter(({ capabilities }) => capabilities.includes(`${FUNCTION}${name}`));
  if (version === undefined || others.length === 0)
    return {
      capable: false,
      because: [`No online worker serves the workflow ${name}.`],
      next: ['start one: svc worker <file>', 'svc functions ls lists the workflows and who serves them'],
    };
  const who = joinWords(others.slice(0, 5).map((agent) => agent.name));
  return {
    capable: false,
    because: [
      `The run stays with version ${version} of the workflow ${name}, and no online worker serves it; ${who} ${others.length === 1 ? 'serves' : 'serve'} another version.`,
    ],
    next: [
      `start a worker with version ${version}`,
      'svc functions ls lists the versions and who serves them',
      'svc cancel the run and submit it again to use the newest version',
    ],
  };
}

function describeRequirements(named: readonly string[], isolated: boolean): string {
  const requires = named.length === 0 ? '' : ` It requires ${joinWords(named)}.`;
  return isolated ? `${requires} It belongs to an untrusted run, so it must be isolated.` : requires;
}

/** What keeps an agent from taking work. */
function describeObstacles(agent: AgentView, named: readonly string[], isolated: boolean): string[] {
  const lacks = named.filter((need) => !agent.capabilities.includes(need));
  const words = lacks.length === 0 ? [] : [`lacks ${joinWords(lacks)}`];
  if (!isolated) return agent.untrusted === 'only' ? [...words, 'accepts only untrusted runs'] : words;
  if (agent.capabilities.includes(ISOLATES)) return words;
  if (agent.untrusted === 'refuse') return [...words, 'accepts no untrusted runs'];
  return [
    ...words,
    `cannot isolate programs (${agent.isolation_missing ?? 'it has no executor that starts programs'})`,
  ];
}

const capabilityFlags = (requires: readonly string[]): string => requires.map((need) => ` --cap ${need}`).join('');

export const quoteArgument = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
