import type { Database, Sealer } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import { maskRun, type Run, type RunFeed, type RunFigures } from '../contract.ts';
import { armedOf, countOf, heldBy, newestOf, readFeedVersions, taggedSince } from '../store/read/feed.ts';
import { openRunWith, queuedOf } from '../store/read/queued.ts';
import { readLinks } from '../store/read/links.ts';
import type { Reader } from '../store/rows/context.ts';
import { readRecords, readWholeRecords } from '../store/read/reading.ts';

type Masks = Pick<RunMasks, 'maskEach'>;

async function masked(
  masks: Masks,
  scope: { org_id: string; project_id: string },
  runs: readonly Run[],
): Promise<Run[]> {
  return masks.maskEach(scope, runs, (run, masker): Run => maskRun(run, masker));
}

export const createRunFeed = (on: Reader, sealer: Sealer, masks: Masks): RunFeed => ({
  async records({ org_id, project_id }, run_ids) {
    const scope = { org_id, project_id };
    return masked(masks, scope, await readRecords(on, sealer, scope, run_ids));
  },
  async record({ org_id, project_id }, run_id) {
    const scope = { org_id, project_id };
    const [run] = await masked(masks, scope, await readWholeRecords(on, sealer, scope, [run_id]));
    return run;
  },
  async open(project_id, limit) {
    const queued = await newestOf(on, project_id, 'queued', limit);
    return [...queued, ...(await newestOf(on, project_id, 'running', limit))];
  },
  versions: (run_ids) => readFeedVersions(on, run_ids),
  links: (project_id, from, limit) => readLinks(on, project_id, from, limit),
});

export const createRunFigures = (on: Pick<Database, 'now' | 'read'>, masks: Masks): RunFigures => ({
  async counts(project_id, limit) {
    const count = (status: 'queued' | 'running' | 'waiting') => countOf(on, project_id, status, limit);
    return { queued: await count('queued'), running: await count('running'), waiting: await count('waiting') };
  },
  tagged: (project_id, tag, since, limit) => taggedSince(on, project_id, tag, since, limit),
  async waits({ org_id, project_id }, limit) {
    const rows = [
      ...(await armedOf(on, project_id, 'waiting', limit)),
      ...(await armedOf(on, project_id, 'queued', limit)),
    ];
    return masks.maskEach({ org_id, project_id }, rows, (row, masker) => {
      const { substate: kind, armed_at, deadline, name, run_id, workflow } = row;
      return {
        ...{ run_id, workflow, kind },
        name: masker.text(name),
        since: Number(armed_at),
        deadline: deadline === null ? null : Number(deadline),
      };
    });
  },
  held: (agent_ids) => heldBy(on, agent_ids),
  queued: (scope, work, limit) => queuedOf(on, scope, work, { now: on.now(), limit }),
  openRun: (org_id, work) => openRunWith(on, org_id, work),
});
