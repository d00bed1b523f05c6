/** Whose processes the programs of trusted runs are: of one user, or for each project of another one of these numbers. */
export type RunAs = { user: string } | { first: number; last: number };

/** As accounts are named, or a number. */
const NAME = /^(?:[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?|[0-9]{1,10})$/;
const RANGE = /^(\d{1,10})-(\d{1,10})$/;
/** A number of 32 bits of which the last means nobody. */
const LARGEST = 0xffff_fffe;
/** Of isolated programs. */
const ISOLATED = [61_184, 65_519] as const;
const MOST = 100_000;

/** Reads `SVC_AGENT_RUN_AS`; `fault` says what is wrong with it. */
export function readRunAs(text: string | undefined): RunAs | { fault: string } | undefined {
  if (text === undefined || text === '') return undefined;
  const wrong = (why: string) => ({ fault: `SVC_AGENT_RUN_AS is "${text}"; ${why}` });
  const [, from, to] = RANGE.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    if (!NAME.test(text)) return wrong('name a user, or a range of numbers such as 20000-20999');
    if (text === 'root' || Number(text) === 0) return wrong('programs are to be those of another user than root');
    if (Number(text) > LARGEST) return wrong(`a user has a number from 1 to ${LARGEST}`);
    return { user: text };
  }
  const [first, last] = [Number(from), Number(to)];
  if (first < 1 || last > LARGEST || first > last) return wrong(`a range goes up, from 1 to ${LARGEST} at most`);
  if (last - first >= MOST) return wrong(`a range has at most ${MOST} users`);
  if (first <= ISOLATED[1] && last >= ISOLATED[0])
    return wrong(`${ISOLATED.join(' to ')} are the users of isolated runs; take others`);
  return { first, last };
}
