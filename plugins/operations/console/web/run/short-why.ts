import type { Explanation } from '../../../run-views/explain/eligible-agents.ts';

/** What a card says of a run already, in its title, its time and its foot line. */
const SAID = [
  /^The run has been waiting since \S+ \([^)]*\)(?:; the deadline is \S+)?\. ?/,
  /^It is waiting for the signal \S+\. ?/,
  /^It is waiting for an event of type \S+\. ?/,
  /^It is waiting until somebody asks .*\. ?/,
  /^It is sleeping and continues automatically\. ?/,
];
const FOOT = /^(?:send it: svc signal |emit one: svc emit |ask it: svc ask )/;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The explanation without what stands on its card anyhow, its times by the clock of the reader. */
export function shortWhy({ because, next }: Explanation, status: string): Explanation {
  // Its first sentence is the error, which is the title of the card.
  const rest = status === 'failed' ? because.slice(1) : because;
  return {
    because: rest
      .map((sentence) => SAID.reduce((text, said) => text.replace(said, ''), sentence).replace(TIME, clock))
      .filter((sentence) => sentence.trim() !== ''),
    next: status === 'waiting' ? next.filter((hint) => !FOOT.test(hint)) : next,
  };
}

const clock = (at: string): string => CLOCK.format(new Date(at));

/** The site from which a hint advises to run again, as its command quotes it. */
export function rerunSite(hint: string): string | undefined {
  const [, quoted, plain] = /svc rerun \S+ --from (?:'((?:[^']|'\\'')*)'|(\S+))$/.exec(hint) ?? [];
  return quoted?.replaceAll("'\\''", "'") ?? plain;
}
