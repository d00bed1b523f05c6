import {
  type AccessControl,
  callerOf,
  type Clock,
  type HttpRequest,
  isServiceError,
  type Scope,
} from '../../../kernel/contracts/index.ts';
import type { AttentionItem, AttentionSource } from '../contract.ts';
import { Shared } from './shared.ts';

/** Sources may have more to read than figures have. */
const AGE_MS = 5000;
const MAX_ITEMS = 50;

export interface NeedsParts {
  clock: Clock;
  control: AccessControl;
  sources: readonly AttentionSource[];
}

/** What needs somebody, of that which the caller may see. */
export class Needs {
  readonly #parts: NeedsParts;
  readonly #shared: Shared<readonly AttentionItem[]>;

  constructor(parts: NeedsParts) {
    this.#parts = parts;
    this.#shared = new Shared(parts.clock, AGE_MS);
  }

  /** Undefined when the caller may see nothing of it: that is not the same as none. */
  async of(request: HttpRequest): Promise<AttentionItem[] | undefined> {
    const found: AttentionItem[] = [];
    let seen = false;
    for (const source of this.#parts.sources) {
      if (!(await this.#may(request, source))) continue;
      seen = true;
      found.push(...(await this.#listed(source, request.scope)));
    }
    return seen ? found.slice(0, MAX_ITEMS) : undefined;
  }

  #listed(source: AttentionSource, scope: Scope): Promise<readonly AttentionItem[]> {
    return this.#shared.get(`${source.name} ${scope.project_id}`, () => source.list(scope, MAX_ITEMS));
  }

  async #may(request: HttpRequest, { access }: AttentionSource): Promise<boolean> {
    try {
      await this.#parts.control.authorize(callerOf(request), access, request.params);
      return true;
    } catch (error) {
      if (isServiceError(error, 'forbidden')) return false;
      throw error;
    }
  }
}
