import type { OutlineItem } from '../../../engine/runs/contract.ts';
import type { ScriptOutlines } from '../../../execution/scripts/contract.ts';
import { describeRepoFile, describeWorkflow, findChild, findRepoFile } from '../domain/child.ts';
import { hasTemplate } from '../domain/templates.ts';
import type { Concurrency, Job, PipelineDocument } from '../generated/pipeline.ts';

/** Lists what the jobs of a pipeline may do. */
export function outlinePipeline(
  document: PipelineDocument,
  source: string,
  outlines: Pick<ScriptOutlines, 'shell'>,
): OutlineItem[] {
  const { credentials = {}, requires = [], cancel_on = [], concurrency, checkout, jobs } = document;
  const lines = new LineFinder(source);
  return [
    ...cancel_on.map((type): OutlineItem => ({ does: 'cancel', type })),
    ...requires.map((name): OutlineItem => ({ does: 'agent', name })),
    ...Object.values(credentials).map((name): OutlineItem => ({ does: 'credential', name })),
    ...leaseOf(concurrency),
    ...Object.entries(jobs).flatMap(([id, job]) => [
      ...inJob(id, itemsOfJob(document, id, job)),
      ...(job.steps && (job.checkout ?? checkout) !== false ? inJob(id, [{ does: 'checkout' }]) : []),
      ...inJob(
        id,
        (job.steps ?? []).flatMap(({ run }) => outlines.shell(run).map((item) => lines.place(item, run))),
      ),
    ]),
  ];
}

const inJob = (id: string, items: readonly OutlineItem[]): OutlineItem[] =>
  items.map((item) => ({ ...item, section: `job ${id}` }));

function itemsOfJob(document: PipelineDocument, id: string, job: Job): OutlineItem[] {
  const { credentials = {}, requires = [], wait_for_event, wait_for_any = [], when, untrusted = false } = job;
  return [
    ...(job.steps ? [{ does: 'program' as const }] : []),
    ...requires.map((name): OutlineItem => ({ does: 'agent', name })),
    ...Object.values(credentials).map((name): OutlineItem => ({ does: 'credential', name })),
    ...leaseOf(job.concurrency),
    ...(wait_for_event === undefined ? [] : [waitFor(wait_for_event, when, untrusted)]),
    ...wait_for_any.flatMap((one) =>
      one.event === undefined ? [] : [waitFor(one.event, one.when, one.untrusted ?? false)],
    ),
    ...itemsOfWorkflow(document, id, job),
  ];
}

const waitFor = (type: string, when: string | boolean | undefined, untrusted: boolean): OutlineItem =>
  hasTemplate(type)
    ? { does: 'unknown', what: `waits for an event whose type is computed: ${type}` }
    : { does: 'wait', type, ...(when !== undefined && { when: String(when) }), untrusted };

/** The name of a group may have holes. It is shown as it is written. */
function leaseOf(concurrency: Concurrency | undefined): OutlineItem[] {
  if (concurrency === undefined) return [];
  if (typeof concurrency === 'string') return [{ does: 'lease', name: concurrency }];
  const { group, key } = concurrency;
  return [{ does: 'lease', name: key === undefined ? group : `${group}/…` }];
}

function itemsOfWorkflow(document: PipelineDocument, id: string, job: Job): OutlineItem[] {
  if (job.workflow === undefined) return [];
  const file = findRepoFile(job);
  if (file)
    return [
      { does: 'credential', name: file.credential },
      { does: 'unknown', what: `runs ${describeRepoFile(file)}, which is read when the job starts` },
    ];
  const child = findChild(document, id, job);
  const name = describeWorkflow(job.workflow);
  return child
    ? [{ does: 'call', name: child.graph ?? name, workflow: child }]
    : [{ does: 'unknown', what: `runs ${name}, which is not in the document` }];
}

/** Finds the lines of a document in which the lines of its steps stand, from the first step to the last. */
class LineFinder {
  readonly #lines: readonly string[];
  #from = 0;

  constructor(source: string) {
    this.#lines = source.split('\n').map((line) => line.trim());
  }

  place(item: OutlineItem, run: string): OutlineItem {
    const text = run.split('\n')[(item.line ?? 1) - 1]?.trim() ?? '';
    const at = text === '' ? -1 : this.#lines.findIndex((line, n) => n >= this.#from && line.includes(text));
    if (at < 0) return { ...item, line: undefined };
    this.#from = at;
    return { ...item, line: at + 1 };
  }
}
