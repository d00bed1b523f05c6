import type { Database, Log, Queries, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';
import type { PredicateResult, StoredEvent } from '../contract.ts';
import {
  MAX_SHOWN,
  insertDeclined,
  insertDeclinedWaits,
  insertOtherCount,
  insertRuledOut,
} from '../store/deliveries.ts';
import { comparisonOf } from '../domain/equalities.ts';
import { divideWaits, type RuledOut } from '../store/equalities.ts';
import {
  listPredicates,
  listSealed,
  matchPredicate,
  matchSealed,
  openPredicate,
  type Predicate,
  readSealed,
  SEALED,
  type SealedWait,
  waitKey,
  type WaitSubset,
} from '../store/waits.ts';
import { type BudgetedEvaluator, lockedUnits, maxOpened, type BoundPredicate } from './predicate-evaluator.ts';

/** How many of the waits that cannot match an event are looked at, to be shown or counted with it. */
const MAX_RULED_OUT = 1000;
/** Waits with sealed predicates that are listed together. Each page reads all of them, so there are few pages. */
const PAGE = 5000;
/** Sealed predicates that are read together: about a MiB. */
const READ_PAGE = 50;

export interface MatchDeps {
  evaluator: BudgetedEvaluator;
  database: Pick<Database, 'read' | 'sql'>;
  sealer: Sealer;
  masks: Pick<RunMasks, 'of'>;
  log: Log;
}

/**
 * Matches the waits whose predicates accept an event, and records the waits that declined and go on waiting. Waits
 * share predicates that see only the event, so each of these is evaluated once. Waits whose predicates demand that a member
 * of the event has another value than it has are not read.
 */
export async function matchPredicates(tx: Transaction, event: StoredEvent, deps: MatchDeps): Promise<number> {
  const { evaluated, ruled_out } = await divideWaits(tx, deps.sealer, event);
  const listed: Predicate[] = [];
  for (const subset of evaluated) listed.push(...(await listPredicates(tx, event, subset)));
  const predicates = listed.filter(({ digest }) => digest !== SEALED);
  const results = deps.evaluator.evaluate(event, [
    ...predicates.map(({ source }) => source),
    ...ruled_out.flatMap(comparisonWith),
  ]);
  let matched_count = 0;
  let remaining_rows = MAX_SHOWN;
  let other_count = 0;
  for (const predicate of predicates) {
    const reason = declineReason(deps, event, results.get(predicate.source)!);
    if (reason === undefined) {
      matched_count += await matchPredicate(tx, event, predicate);
      continue;
    }
    await insertDeclined(tx, event, predicate, reason, remaining_rows);
    other_count += Math.max(0, predicate.count - remaining_rows);
    remaining_rows = Math.max(0, remaining_rows - predicate.count);
  }
  const subsets = listed.filter(({ digest }) => digest === SEALED).map(({ subset }) => subset);
  if (subsets.length > 0) {
    const sealed = await matchSealedPredicates(tx, event, deps, subsets, remaining_rows);
    matched_count += sealed.matched_count;
    other_count += sealed.other_count;
    remaining_rows -= sealed.declined_count;
  }
  other_count += await declineRuledOut(tx, event, deps, { ruled_out, results }, remaining_rows);
  await insertOtherCount(tx, event, other_count);
  return matched_count;
}

/** Records the waits that cannot match the event, and returns how many have no row of their own. */
async function declineRuledOut(
  tx: Transaction,
  event: StoredEvent,
  deps: MatchDeps,
  { ruled_out, results }: { ruled_out: readonly RuledOut[]; results: ReadonlyMap<string, PredicateResult> },
  max_rows: number,
): Promise<number> {
  let remaining_rows = max_rows;
  let other_count = 0;
  const scanned = Math.ceil(MAX_RULED_OUT / ruled_out.length);
  for (const waits of ruled_out) {
    const [comparison] = comparisonWith(waits);
    const reason =
      comparison === undefined
        ? FALSE
        : await sealedDeclineReason(tx, deps, event, waits.wait, results.get(comparison)!);
    const recorded = await insertRuledOut(tx, event, waits.subset, reason, { limit: remaining_rows, scanned });
    remaining_rows -= recorded.inserted;
    other_count += recorded.other_count;
  }
  return other_count;
}

/** What is evaluated once to tell why waits decline an event that lacks a member: their own predicates fail in the same way. */
const comparisonWith = ({ unequal }: RuledOut): string[] => (unequal === undefined ? [] : [comparisonOf(unequal)]);

/** Each of these waits has a predicate of its own. */
async function matchSealedPredicates(
  tx: Transaction,
  event: StoredEvent,
  deps: MatchDeps,
  subsets: readonly WaitSubset[],
  max_rows: number,
): Promise<{ matched_count: number; declined_count: number; other_count: number }> {
  const { evaluator, database, sealer } = deps;
  const locked = lockedUnits();
  const pagesOutside = () => boundPagesOf(database, sealer, event);
  const declined: (WaitRef & { reason: string })[] = [];
  let matched_count = 0;
  let other_count = 0;
  for await (const listed of pagesOf(tx, event, subsets)) {
    const pending = listed.filter((wait) => !evaluator.isEvaluated(event, boundKey(wait)));
    const opened = pending.slice(0, maxOpened(locked));
    const others = pending.slice(opened.length).map(toUnreadPredicate);
    const predicates = [...(await readBound(tx, sealer, opened)), ...others];
    const results = evaluator.evaluateBound(event, predicates, locked, pagesOutside);
    const accepted: WaitRef[] = [];
    for (const wait of listed) {
      const result = results.get(boundKey(wait));
      // The wait has ended since it was listed.
      if (result === undefined) continue;
      if (result.ok && result.value) accepted.push(wait);
      else if (declined.length >= max_rows) other_count += 1;
      else declined.push({ ...wait, reason: await sealedDeclineReason(tx, deps, event, wait, result) });
    }
    matched_count += await matchSealed(tx, event, accepted);
  }
  await insertDeclinedWaits(tx, event, declined);
  return { matched_count, declined_count: declined.length, other_count };
}

async function* pagesOf(
  on: Pick<Queries, 'read' | 'sql'>,
  event: StoredEvent,
  subsets: readonly WaitSubset[],
): AsyncGenerator<SealedWait[]> {
  for (const subset of subsets) {
    let after: SealedWait | undefined;
    do {
      const waits = await listSealed(on, event, subset, after, PAGE);
      if (waits.length > 0) yield waits;
      after = waits.length < PAGE ? undefined : waits.at(-1);
    } while (after);
  }
}

async function* boundPagesOf(
  on: Pick<Queries, 'read' | 'sql'>,
  sealer: Sealer,
  event: StoredEvent,
): AsyncGenerator<BoundPredicate[]> {
  const { evaluated } = await divideWaits(on, sealer, event);
  for await (const waits of pagesOf(on, event, evaluated))
    for (let at = 0; at < waits.length; at += READ_PAGE)
      yield await readBound(on, sealer, waits.slice(at, at + READ_PAGE));
}

/** Waits that have ended since they were listed are left out. */
async function readBound(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  waits: readonly SealedWait[],
): Promise<BoundPredicate[]> {
  const sealed = await readSealed(on, waits);
  return waits.flatMap((wait) => {
    const predicate = sealed.get(waitKey(wait));
    return predicate === undefined ? [] : [toBoundPredicate(sealer, wait, predicate)];
  });
}

const toBoundPredicate = (sealer: Sealer, wait: SealedWait, sealed: Buffer): BoundPredicate => ({
  key: boundKey(wait),
  bytes: sealed.length,
  open: () => openPredicate(sealer, wait, sealed),
});

/** Too many predicates are pending to open this one under locks, so it was not read. */
const toUnreadPredicate = (wait: SealedWait): BoundPredicate => ({
  key: boundKey(wait),
  bytes: Number.POSITIVE_INFINITY,
  open() {
    throw new Error('a predicate that was not read cannot be opened');
  },
});

/** No text of a predicate begins like this. */
const boundKey = (wait: WaitRef): string => `\0${waitKey(wait)}`;

/** Returns why a sealed predicate declines. It may name members that a script has made from its secrets. */
async function sealedDeclineReason(
  tx: Transaction,
  deps: MatchDeps,
  event: StoredEvent,
  wait: SealedWait,
  result: PredicateResult,
): Promise<string> {
  if (result.ok) return FALSE;
  const reason = (await deps.masks.of(wait, tx)).text(result.reason);
  logFailure(deps, event, reason);
  return reason;
}

const FALSE = 'the predicate is false';

/**
 * Returns why a predicate declines an event, or undefined if it accepts it. A predicate that cannot be evaluated
 * declines, and is logged.
 */
function declineReason(deps: Pick<MatchDeps, 'log'>, event: StoredEvent, result: PredicateResult): string | undefined {
  if (result.ok) return result.value ? undefined : FALSE;
  logFailure(deps, event, result.reason);
  return result.reason;
}

const logFailure = ({ log }: Pick<MatchDeps, 'log'>, { event_id, project_id }: StoredEvent, reason: string): void =>
  log.warn({ event_id, project_id, reason }, 'evaluating the predicate of a wait failed');
