/** The user whose processes trusted programs become: one user, or for each project another one of a range. */
export type RunAs = { user: string } | { first: number; last: number };

/** An account name or number. */
const NAME = /^(?:[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?|[0-9]{1,10})$/;
const RANGE = /^(\d{1,10})-(\d{1,10})$/;
/** Numbers have 32 bits, and the largest means nobody. */
const MAX_UID = 0xffff_fffe;
/** The users of isolated programs. */
const ISOLATED_UIDS = [61_184, 65_519] as const;
const MAX_RANGE_SIZE = 100_000;

/** Parses `SVC_AGENT_RUN_AS`; `fault` says what is wrong with it. */
export function readRunAs(text: string | undefined): RunAs | { fault: string } | undefined {
  if (text === undefined || text === '') return undefined;
  const invalid = (why: string) => ({ fault: `SVC_AGENT_RUN_AS is "${text}"; ${why}` });
  const [, from, to] = RANGE.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    if (!NAME.test(text)) return invalid('use a username, or a range of user IDs such as 20000-20999');
    if (text === 'root' || Number(text) === 0) return invalid('use a user other than root');
    if (Number(text) > MAX_UID) return invalid(`a user ID must be from 1 to ${MAX_UID}`);
    return { user: text };
  }
  const first = Number(from);
  const last = Number(to);
  if (first < 1 || last > MAX_UID || first > last) return invalid(`a range must ascend, from 1 to at most ${MAX_UID}`);
  if (last - first >= MAX_RANGE_SIZE) return invalid(`a range can have at most ${MAX_RANGE_SIZE} users`);
  if (first <= ISOLATED_UIDS[1] && last >= ISOLATED_UIDS[0])
    return invalid(`${ISOLATED_UIDS.join(' to ')} are reserved for isolated runs; choose others`);
  return { first, last };
}
