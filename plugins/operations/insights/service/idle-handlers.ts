import { iso, type Scope, yieldToEventLoop } from '../../../../kernel/contracts/index.ts';
import { ANY_RUN, type RunReader } from '../../../engine/runs/contract.ts';
import type { EventLog, LoggedEvent } from '../../../events/bus/contract.ts';
import type { HandlerDirectory, HandlerPatterns } from '../../../events/handlers/contract.ts';
import { timeOfId } from '../../../platform/retention/contract.ts';
import { adviseOnIdle } from '../domain/advice.ts';
import type { Insights } from '../generated/insights.ts';

type IdleHandler = Insights['handlers'][number];

/** Handlers that are looked at, by name. */
const MAX_READ = 200;
const MAX_LISTED = 50;
/** Types of one handler whose events are looked for. */
const MAX_TYPES = 4;

export interface IdleHandlerDeps {
  reader: Pick<RunReader, 'list'>;
  directory: HandlerDirectory;
  log: Pick<EventLog, 'latest'>;
}

/** Finds handlers that have started no run for a while. */
export class IdleHandlers {
  readonly #deps: IdleHandlerDeps;

  constructor(deps: IdleHandlerDeps) {
    this.#deps = deps;
  }

  /** `since` is epoch ms. Handlers that were set later are left out. */
  async read(scope: Scope, since: number): Promise<IdleHandler[]> {
    const { directory } = this.#deps;
    const handlers = await directory.setBefore(scope, since, MAX_READ);
    const idle: { handler: HandlerPatterns; last_run_at: number | null }[] = [];
    for (const handler of handlers) {
      const last_run_at = await this.#lastRunAt(scope, handler.name);
      if (last_run_at === null || last_run_at < since) idle.push({ handler, last_run_at });
      if (idle.length === MAX_LISTED) break;
      await yieldToEventLoop();
    }
    const views: IdleHandler[] = [];
    for (const { handler, last_run_at } of idle) {
      const { name, on } = handler;
      const event = await this.#lastEvent(scope, on);
      const is_recent = event !== undefined && event !== null && event.recorded_at >= since;
      views.push({
        ...{ name, on, last_run_at: isoOrNull(last_run_at) },
        ...(event === undefined ? {} : { last_event_at: isoOrNull(event?.recorded_at ?? null) }),
        next: adviseOnIdle(name, { last: event && (is_recent ? event.event_id : null), pattern: on[0]! }),
      });
    }
    return views;
  }

  /** Null: no run that the handler has started still exists. */
  async #lastRunAt({ project_id }: Scope, name: string): Promise<number | null> {
    const trigger = { name: `handler:${name}` };
    const { run_ids } = await this.#deps.reader.list(project_id, { ...ANY_RUN, trigger, limit: 1, before: undefined });
    return run_ids[0] === undefined ? null : timeOfId(run_ids[0]);
  }

  /** Undefined if a pattern ends with *, or if there are too many types. Null: no event of these types still exists. */
  async #lastEvent(scope: Scope, types: readonly string[]): Promise<LoggedEvent | null | undefined> {
    if (types.length > MAX_TYPES || types.some((type) => type.endsWith('*'))) return undefined;
    let last: LoggedEvent | null = null;
    for (const type of types) {
      const [event] = await this.#deps.log.latest(scope, type, 1);
      if (event && (last === null || event.recorded_at > last.recorded_at)) last = event;
    }
    return last;
  }
}

const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));
