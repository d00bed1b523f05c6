import { type Scope, yieldToEventLoop } from '../../../../kernel/contracts/index.ts';
import { ANY_RUN, type RunReader, type RunTimesReader } from '../../../engine/runs/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { adviseOnRetries, adviseOnSlower, adviseOnWait } from '../domain/advice.ts';
import { Gathering } from '../domain/findings.ts';
import type { Insights } from '../generated/insights.ts';

/** The newest runs are read, up to this number. */
export const MAX_RUNS = 500;
/** Runs that one statement reads. */
const PAGE = 32;
/** Calls, waits and failed attempts of these runs that are read, of each kind. */
const MAX_PER_PAGE = 2000;
/** A page of a sparse list may be empty, so this bounds the search too. */
const MAX_PAGES = 2 * (MAX_RUNS / PAGE);

export interface RunInsightDeps {
  reader: Pick<RunReader, 'list'>;
  times: RunTimesReader;
  masks: Pick<RunMasks, 'maskEach'>;
}

/** Reads when the parts of recent runs began and ended, and finds what is worth a look. */
export class RunInsights {
  readonly #deps: RunInsightDeps;

  constructor(deps: RunInsightDeps) {
    this.#deps = deps;
  }

  /** `since` and `now` are epoch ms. */
  async read(
    { org_id, project_id }: Scope,
    since: number,
    now: number,
  ): Promise<Pick<Insights, 'runs' | 'complete' | 'waits' | 'retries' | 'slower'>> {
    const { reader, times } = this.#deps;
    const gathering = new Gathering(now);
    let runs = 0;
    let truncated = false;
    let before: string | undefined;
    for (let pages = 0; pages < MAX_PAGES && runs < MAX_RUNS; pages += 1) {
      const page = await reader.list(project_id, { ...ANY_RUN, since, limit: PAGE, before });
      const read = await times.read(page.run_ids, MAX_PER_PAGE);
      gathering.add(read);
      runs += page.run_ids.length;
      truncated ||= read.truncated;
      before = page.next;
      if (before === undefined) break;
      await yieldToEventLoop();
    }
    const { waits, retries, slower } = gathering.findings();
    const scope = { org_id, project_id };
    return {
      runs,
      complete: before === undefined && !truncated,
      waits: await this.#masked(scope, waits, (wait) => ({
        ...wait,
        kind: publicKind(wait.kind),
        next: adviseOnWait(wait),
      })),
      retries: await this.#masked(scope, retries, (call) => ({ ...call, next: adviseOnRetries(call) })),
      slower: await this.#masked(scope, slower, (call) => ({ ...call, next: adviseOnSlower(call) })),
    };
  }

  /** Names of calls may contain secret values of the run that made them. */
  #masked<Finding extends { run_id: string; name: string }, View>(
    scope: Omit<Scope, 'org' | 'project'>,
    findings: readonly Finding[],
    view: (finding: Finding) => View,
  ): Promise<View[]> {
    return this.#deps.masks.maskEach(scope, findings, (finding, masker) =>
      view({ ...finding, name: masker.text(finding.name) }),
    );
  }
}

const publicKind = (kind: string): string => (kind === 'awaiting_lease' ? 'lock' : kind);
