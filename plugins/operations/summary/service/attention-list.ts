import {
  type AccessControl,
  callerOf,
  type Clock,
  type HttpRequest,
  isServiceError,
  type Scope,
} from '../../../../kernel/contracts/index.ts';
import { SharedAnswers } from '../../../platform/resources/contract.ts';
import type { AttentionItem, AttentionSource } from '../contract.ts';

/** Sources may have more to read than figures have. */
const AGE_MS = 5000;
const MAX_ITEMS = 50;

export interface AttentionListDeps {
  clock: Clock;
  control: AccessControl;
  sources: readonly AttentionSource[];
}

/** Lists what needs attention and is visible to the caller. */
export class AttentionList {
  readonly #deps: AttentionListDeps;
  readonly #shared: SharedAnswers<readonly AttentionItem[]>;

  constructor(deps: AttentionListDeps) {
    this.#deps = deps;
    this.#shared = new SharedAnswers(deps.clock, AGE_MS);
  }

  /** Returns undefined when the caller may see none of the sources, which differs from an empty list. */
  async read(request: HttpRequest): Promise<AttentionItem[] | undefined> {
    const items: AttentionItem[] = [];
    let may_see_any = false;
    for (const source of this.#deps.sources) {
      if (!(await this.#isAllowed(request, source))) continue;
      may_see_any = true;
      items.push(...(await this.#readSource(source, request.scope)));
    }
    return may_see_any ? items.slice(0, MAX_ITEMS) : undefined;
  }

  #readSource(source: AttentionSource, scope: Scope): Promise<readonly AttentionItem[]> {
    return this.#shared.get(`${source.name} ${scope.project_id}`, () => source.list(scope, MAX_ITEMS));
  }

  async #isAllowed(request: HttpRequest, { access }: AttentionSource): Promise<boolean> {
    try {
      await this.#deps.control.authorize(callerOf(request), access, request.params);
      return true;
    } catch (error) {
      if (isServiceError(error, 'forbidden')) return false;
      throw error;
    }
  }
}
