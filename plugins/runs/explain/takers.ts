import { span } from '../../../cli/output/span.ts';
import type { AgentView } from './answers.ts';

export interface Explanation {
  /** Sentences; the answer comes first. */
  because: string[];
  /** What to do; empty when there is nothing to do. */
  next: string[];
}

export const ago = (time: string, now: number): string => `${span(now - Date.parse(time))} ago`;
export const list = (texts: readonly string[], word = 'and'): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;

/** Whether an agent can take work with these requirements, and if not, why. */
export function takers(requires: readonly string[], agents: readonly AgentView[]): Explanation & { capable: boolean } {
  const online = agents.filter(({ state }) => state === 'online');
  const needs = requires.length === 0 ? '' : ` It requires ${list(requires)}.`;
  if (online.length === 0)
    return {
      capable: false,
      because: [`No agent is online.${needs}`],
      next: [`start one: svc agent${caps(requires)}`],
    };
  const capable = online.filter((agent) => requires.every((need) => agent.capabilities.includes(need)));
  if (capable.length > 0) {
    const who = list(
      capable.slice(0, 5).map(({ name }) => name),
      'or',
    );
    return { capable: true, because: [`${who} can take it as soon as a slot is free.${needs}`], next: [] };
  }
  const lacking = online.slice(0, 5).map((agent) => {
    const lacks = requires.filter((need) => !agent.capabilities.includes(need));
    return `${agent.name} lacks ${list(lacks)}`;
  });
  const more = online.length > 5 ? [`${online.length - 5} more lack something too`] : [];
  const because = `No agent that is online has all it requires (${list(requires)}): ${list([...lacking, ...more])}.`;
  return { capable: false, because: [because], next: [`start a capable agent: svc agent${caps(requires)}`] };
}

const caps = (requires: readonly string[]): string => requires.map((need) => ` --cap ${need}`).join('');

export const quoted = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
