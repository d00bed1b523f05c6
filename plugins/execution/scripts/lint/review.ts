import { createHash } from 'node:crypto';
import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import type { Review } from '../../../engine/runs/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { fileExtension } from '../domain/interpreter.ts';
import { lintBash } from './bash-lint.ts';
import { definesOnly, lintTree } from './tree-lint.ts';
import { type Language, languageOf, type ReadTree, type Script, type TreeReader } from './tree-reader.ts';
import { VerbArguments } from './verb-arguments.ts';

const MAX_REMEMBERED = 64;

export interface ReviewDeps {
  trees: Pick<TreeReader, 'read'>;
  /** The words after `svc`. */
  verbs: () => readonly VerbHelp[];
}

const NOTHING: Review = { problems: [], warnings: [], notes: [] };

/** Examines scripts more closely than a submit does. Nothing of a script is run. */
export class ScriptReview {
  readonly #deps: ReviewDeps;
  readonly #cache = new BoundedMap<string, Review>(MAX_REMEMBERED);

  constructor(deps: ReviewDeps) {
    this.#deps = deps;
  }

  async review(script: Script): Promise<Review> {
    const { source, filename } = script;
    const language = languageOf(script);
    if (language === 'shell') return { ...NOTHING, warnings: lintBash(source, this.#verbs(), this.#verbArguments()) };
    if ('unread' in language) return unreviewed(language.unread);
    const key = createHash('sha256')
      .update(`${language.code}\0${fileExtension(filename)}\0${source}`)
      .digest('base64');
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const review = this.#toReview(language, await this.#deps.trees.read(language, script));
    if (review.notes.every((note) => note === NOT_SERVED)) this.#cache.set(key, review);
    return review;
  }

  #verbs(): ReadonlySet<string> {
    return new Set(this.#deps.verbs().map(({ verb }) => verb.split(' ', 1)[0]!));
  }

  #verbArguments = (): VerbArguments => new VerbArguments(this.#deps.verbs());

  #toReview({ code, calls }: Language, found: ReadTree): Review {
    if ('unread' in found) return unreviewed(found.unread);
    if ('problems' in found) return { ...NOTHING, problems: found.problems.map((one) => ({ ...one, code })) };
    const { tree } = found;
    const verb_table = { verbs: this.#verbs(), verb_arguments: this.#verbArguments() };
    const notes = definesOnly(tree, verb_table) ? [NOT_SERVED] : [];
    return { ...NOTHING, notes, warnings: lintTree(tree, verb_table, calls) };
  }
}

/** As the SDKs say when such a script runs. */
const NOT_SERVED =
  'as a script, it runs none of the workflows that it defines: add serve() at its end, or serve the file with `svc worker` and submit by name (workflow_not_served)';

const unreviewed = (why: string): Review => ({
  ...NOTHING,
  notes: [`its syntax and its calls were not checked: ${why}`],
});
