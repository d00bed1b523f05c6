import type { Database, Log, Queries, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { WaitRef } from '../../../engine/runs/contract.ts';
import type { PredicateResult, StoredEvent } from '../contract.ts';
import { MAX_SHOWN, insertDeclined, insertDeclinedWaits, insertOtherCount } from '../store/deliveries.ts';
import {
  listPredicates,
  listSealed,
  matchPredicate,
  matchSealed,
  openPredicate,
  readSealed,
  SEALED,
  type SealedWait,
  waitKey,
} from '../store/waits.ts';
import { type BudgetedEvaluator, lockedUnits, maxOpened, type BoundPredicate } from './predicate-evaluator.ts';

/** Waits with sealed predicates that are listed together. Each page reads all of them, so there are few pages. */
const PAGE = 5000;
/** Sealed predicates that are read together: about a MiB. */
const READ_PAGE = 50;

export interface MatchDeps {
  evaluator: BudgetedEvaluator;
  database: Pick<Database, 'read'>;
  sealer: Sealer;
  masks: Pick<RunMasks, 'of'>;
  log: Log;
}

/**
 * Matches the waits whose predicates accept an event, and records the waits that declined and go on waiting. Waits
 * share predicates that see only the event, so each of these is evaluated once.
 */
export async function matchPredicates(tx: Transaction, event: StoredEvent, deps: MatchDeps): Promise<number> {
  const listed = await listPredicates(tx, event);
  const predicates = listed.filter(({ digest }) => digest !== SEALED);
  const results = deps.evaluator.evaluate(
    event,
    predicates.map(({ source }) => source),
  );
  let matched_count = 0;
  let remaining_rows = MAX_SHOWN;
  let other_count = 0;
  for (const predicate of predicates) {
    const reason = declineReason(deps, event, results.get(predicate.source)!);
    if (reason === undefined) {
      matched_count += await matchPredicate(tx, event, predicate.digest);
      continue;
    }
    await insertDeclined(tx, event, { digest: predicate.digest, reason }, remaining_rows);
    other_count += Math.max(0, predicate.count - remaining_rows);
    remaining_rows = Math.max(0, remaining_rows - predicate.count);
  }
  if (predicates.length < listed.length) {
    const sealed = await matchSealedPredicates(tx, event, deps, remaining_rows);
    matched_count += sealed.matched_count;
    other_count += sealed.other_count;
  }
  await insertOtherCount(tx, event, other_count);
  return matched_count;
}

/** Each of these waits has a predicate of its own. */
async function matchSealedPredicates(
  tx: Transaction,
  event: StoredEvent,
  deps: MatchDeps,
  max_rows: number,
): Promise<{ matched_count: number; other_count: number }> {
  const { evaluator, database, sealer } = deps;
  const locked = lockedUnits();
  const pagesOutside = () => boundPagesOf(database, sealer, event);
  const declined: (WaitRef & { reason: string })[] = [];
  let matched_count = 0;
  let other_count = 0;
  for await (const listed of pagesOf(tx, event)) {
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
  return { matched_count, other_count };
}

async function* pagesOf(on: Pick<Queries, 'read'>, event: StoredEvent): AsyncGenerator<SealedWait[]> {
  for (let after: SealedWait | undefined; ; ) {
    const waits = await listSealed(on, event, after, PAGE);
    if (waits.length > 0) yield waits;
    if (waits.length < PAGE) return;
    after = waits.at(-1);
  }
}

async function* boundPagesOf(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  event: StoredEvent,
): AsyncGenerator<BoundPredicate[]> {
  for await (const waits of pagesOf(on, event))
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
