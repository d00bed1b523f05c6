import { AsyncLocalStorage } from 'node:async_hooks';
import { Database, type Expression, Expressions, type Resolve } from '../../kernel/contracts/index.ts';

const RANGE = `[${Array.from({ length: 100 }, (_, n) => n).join(',')}]`;

/** True for every event, after some 100,000 units of work; each number gives another text. */
export const costly = (n: number): string => `${RANGE}.all(x, ${RANGE}.all(y, x + y >= -${n}))`;

/** The work of predicates: in each transaction that judged any, and outside of transactions. */
interface WatchedPredicates {
  readonly within: number[];
  outside: number;
  /** Runs once, before the next transaction begins. */
  before_next?: () => Promise<unknown>;
}

/** Counts what the predicates of a server take, and where. */
export function watchPredicates(use: Resolve): WatchedPredicates {
  const watched: WatchedPredicates = { within: [], outside: 0 };
  const current = new AsyncLocalStorage<{ units: number }>();
  const note = (units: number) => {
    const attempt = current.getStore();
    if (!attempt) watched.outside += units;
    else if ((attempt.units += units) === units) watched.within.push(units);
    else watched.within[watched.within.length - 1] = attempt.units;
  };
  const watching = (one: Expression): Expression => ({
    source: one.source,
    uses: (name) => one.uses(name),
    paths: (roots) => one.paths(roots),
    equalities: (root, scope) => one.equalities(root, scope),
    evaluate(scope) {
      const before = expressions.units();
      const evaluated = one.evaluate(scope);
      note(expressions.units() - before);
      return evaluated;
    },
    evaluateWithin(scope, most) {
      const evaluated = one.evaluateWithin(scope, most);
      note(evaluated.units);
      return evaluated;
    },
    test(scope, most) {
      const tested = one.test(scope, most);
      note(tested.units);
      return tested;
    },
  });
  const expressions = use(Expressions);
  const { compile, ready } = expressions;
  expressions.compile = (source, roots) => watching(compile(source, roots));
  expressions.ready = (source, roots) => {
    const one = ready(source, roots);
    return one && watching(one);
  };
  const database = use(Database);
  const transaction = database.transaction.bind(database);
  database.transaction = async (work) => {
    const before = watched.before_next;
    delete watched.before_next;
    await before?.();
    return transaction((tx) => current.run({ units: 0 }, () => work(tx)));
  };
  return watched;
}
