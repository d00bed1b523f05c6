import { inList, type Queries, type Sealer } from '../../../../kernel/contracts/index.ts';
import { envelopeOf, type ProjectScope, type StoredEvent } from '../contract.ts';
import { type Equalities, readKeys } from '../domain/equalities.ts';
import { fromWaits, type SealedWait, type StoredEquality, waitContext, type WaitSubset } from './waits.ts';

/** Digits of the digests of members and of their values: together with the key's version, they fit into the column. */
const MEMBERS_DIGITS = 20;
const VALUES_DIGITS = 32;
const STORED = new RegExp(`^(\\d+)\\.[0-9a-f]{${MEMBERS_DIGITS}}\\.`);
/** The most lists of members that the waits for one type may compare, until their predicates are evaluated for every event. */
const MAX_MEMBER_LISTS = 32;

const MEMBERS = 'equality_members';

const EVERY_WAIT: WaitSubset = { condition: '1 = 1', params: [] };
const NO_EQUALITY: WaitSubset = { condition: 'equality IS NULL', params: [] };

/**
 * Returns `version.members.values`, which two waits of a type share exactly if they demand the same of an event. All waits that
 * compare the same members have the same beginning.
 */
function digestOf(
  sealer: Sealer,
  { org_id, project_id, type }: ProjectScope & { type: string },
  { paths, keys }: Equalities,
  key_version?: number,
): string {
  const context = (field: string) => ({ org_id, project_id, table: 'bus_waits', kind: 'wait', field });
  const members = sealer.digest(context(MEMBERS), JSON.stringify([type, paths]), key_version);
  const values = sealer.digest(context('equality'), JSON.stringify([type, paths, keys]), members.key_version);
  return `${members.key_version}.${members.hex.slice(0, MEMBERS_DIGITS)}.${values.hex.slice(0, VALUES_DIGITS)}`;
}

/** The org's keys must be ready. */
export const sealEqualities = (
  sealer: Sealer,
  wait: SealedWait & { type: string },
  equalities: Equalities,
): StoredEquality => ({
  digest: digestOf(sealer, wait, equalities),
  members: sealer.seal(waitContext(wait, MEMBERS), Buffer.from(JSON.stringify(equalities.paths))),
});

/** The armed waits of the type of an event, by whether their predicates have to be evaluated. */
export interface DividedWaits {
  evaluated: readonly WaitSubset[];
  ruled_out: readonly RuledOut[];
}

/** Waits whose predicates compare the same members, and demand other values than the event has. */
export interface RuledOut {
  subset: WaitSubset;
  /** One of them. */
  wait: SealedWait;
  /** A member that the event lacks, or that has a value which nothing demands. */
  unequal: readonly string[] | undefined;
}

/**
 * Divides the armed waits of the type of an event. It reads one wait for each list of members that predicates compare, however
 * many waits there are. The org's keys must be ready.
 */
export async function divideWaits(
  on: Pick<Queries, 'read' | 'sql'>,
  sealer: Sealer,
  event: StoredEvent,
): Promise<DividedWaits> {
  const envelope = envelopeOf(event);
  const digests: string[] = [];
  const ruled_out: RuledOut[] = [];
  for (let after = ''; ; ) {
    const wait = await nextCompared(on, event, after);
    if (wait === undefined) break;
    const compared = ruled_out.length < MAX_MEMBER_LISTS ? tryCompare(sealer, event, envelope, wait) : undefined;
    if (compared === undefined) return { evaluated: [EVERY_WAIT], ruled_out: [] };
    const { beginning, digest, unequal } = compared;
    // Behind all digests with this beginning.
    after = `${beginning}~`;
    const same_members = { condition: 'equality > ? AND equality < ?', params: [beginning, after] };
    if (digest === undefined) {
      ruled_out.push({ subset: same_members, wait, unequal });
      continue;
    }
    digests.push(digest);
    const { condition, params } = same_members;
    const subset = { condition: `${condition} AND equality <> ?`, params: [...params, digest] };
    ruled_out.push({ subset, wait, unequal });
  }
  if (digests.length === 0) return { evaluated: [NO_EQUALITY], ruled_out };
  const { placeholders, params } = inList(digests);
  return { evaluated: [NO_EQUALITY, { condition: `equality IN ${placeholders}`, params }], ruled_out };
}

interface ComparedWait extends SealedWait {
  equality: string;
  equality_members: Buffer;
}

/** Returns the first armed wait of the type of an event whose `equality` lies after a text. */
async function nextCompared(
  on: Pick<Queries, 'read' | 'sql'>,
  { project_id, type }: StoredEvent,
  after: string,
): Promise<ComparedWait | undefined> {
  const [row] = await on.read<ComparedWait>(
    `SELECT run_id, activity_id, position, org_id, project_id, equality, equality_members ${fromWaits(on)}
     WHERE project_id = ? AND event_seq IS NULL AND type = ? AND equality > ? ORDER BY equality LIMIT 1`,
    [project_id, type, after],
  );
  return row;
}

/**
 * Returns the digest of waits that compare the same members as this one and demand what the event has, if it has all members.
 * Undefined if this server cannot tell: that must not keep the event from other waits, so all predicates are evaluated.
 */
function tryCompare(
  sealer: Sealer,
  event: StoredEvent,
  envelope: unknown,
  wait: ComparedWait,
): { beginning: string; digest?: string; unequal?: readonly string[] } | undefined {
  const [beginning, key_version] = STORED.exec(wait.equality) ?? [];
  if (beginning === undefined) return undefined;
  try {
    const members = sealer.open(waitContext(wait, MEMBERS), wait.equality_members);
    const paths = JSON.parse(members.toString()) as Equalities['paths'];
    const read = readKeys(envelope, paths);
    if ('unequal' in read) return { beginning, ...read };
    return { beginning, digest: digestOf(sealer, event, { paths, keys: read.keys }, Number(key_version)) };
  } catch {
    return undefined;
  }
}
