import type { Expressions } from '../../../../kernel/contracts/index.ts';

/** Each character takes up to ten microseconds, and a document as a whole should take much less than a tenth of a second. */
const MAX_INLINE_CHARACTERS = 4096;

class TooLong extends Error {}

/**
 * Does work that compiles the expressions of one document. Returns undefined, and has compiled only some of them, when they
 * are longer than what the event loop should compile: the document then belongs in a worker thread.
 */
export function compileInline<T>(expressions: Expressions, work: (limited: Expressions) => T): T | undefined {
  let remaining = MAX_INLINE_CHARACTERS;
  const charge = (source: string) => {
    remaining -= source.length;
    if (remaining < 0) throw new TooLong();
  };
  const limited: Expressions = {
    compile(source, roots) {
      const ready = expressions.ready(source, roots);
      if (ready) return ready;
      charge(source);
      return expressions.compile(source, roots);
    },
    ready: (source, roots) => expressions.ready(source, roots),
    check(source, roots) {
      charge(source);
      return expressions.check(source, roots);
    },
    units: () => expressions.units(),
  };
  try {
    return work(limited);
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
}
