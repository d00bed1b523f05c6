import type { Client, CliError } from '../../../../../cli/contract.ts';
import { differences, type Difference } from './compare.ts';
import { type DesiredObject, type Kind, KINDS, type LiveObject, omit } from './kinds.ts';
import { isRejection, readLive } from './live.ts';
import { isApplied, type AppliedNames, readApplied } from './applied.ts';
import type { Members } from './workflow-files.ts';

/** What has to be done for an object to be as its file says. */
export interface Step {
  kind: Kind;
  name: string;
  action: 'create' | 'update' | 'keep' | 'remove';
  differences: readonly Difference[];
  /** The body to send. */
  body: Members;
  desired: DesiredObject | undefined;
  live: LiveObject | undefined;
  /** Whether it is marked as applied. */
  marked: boolean;
}

export interface Plan {
  /** In the order in which they are done. */
  steps: Step[];
  /** Objects that no file describes and that people made. */
  unmanaged: { kind: Kind; name: string }[];
  /** Kinds that the token cannot read. */
  unreadable: { kind: Kind; error: CliError }[];
  applied: AppliedNames;
}

interface Options {
  /** Remove what no file describes: what was applied, or everything. */
  prune: 'applied' | 'all';
}

/** Compares a folder with a project. */
export async function makePlan(api: Client, desired: readonly DesiredObject[], { prune }: Options): Promise<Plan> {
  const applied = await readApplied(api);
  const plan: Plan = { steps: [], unmanaged: [], unreadable: [], applied };
  const removals: Step[] = [];
  for (const kind of KINDS) {
    const live = await readLive(api, kind).catch((error: unknown) => {
      if (!isRejection(error)) throw error;
      plan.unreadable.push({ kind, error });
      return undefined;
    });
    if (!live) continue;
    const described = desired.filter((one) => one.kind === kind);
    plan.steps.push(...described.map((one) => stepFor(one, live.get(one.name), applied)));
    // What people set is not removed with its file either.
    if (kind.set_by_people !== undefined) continue;
    const names = new Set(described.map(({ name }) => name));
    for (const object of live.values()) {
      if (names.has(object.name)) continue;
      const marked = isApplied(applied, kind, object);
      if (marked || prune === 'all') removals.push(removal(kind, object, marked));
      else plan.unmanaged.push({ kind, name: object.name });
    }
  }
  // What refers to others goes first.
  plan.steps.push(...removals.reverse());
  return plan;
}

const removal = (kind: Kind, live: LiveObject, marked: boolean): Step => ({
  kind,
  name: live.name,
  action: 'remove',
  differences: [],
  body: {},
  desired: undefined,
  live,
  marked,
});

/** Members of files that name variables with secrets: the server shows none of them. */
const FOR_REQUESTS = ['key_env', 'login_env'];

function stepFor(desired: DesiredObject, live: LiveObject | undefined, applied: AppliedNames): Step {
  const { kind, name } = desired;
  const body = kind.complete(asStored(desired, live), live);
  const found = live === undefined ? [] : differences(kind.complete(live.body, live), omit(body, ...FOR_REQUESTS));
  const action = live === undefined ? 'create' : found.length > 0 ? 'update' : 'keep';
  const marked = live !== undefined && isApplied(applied, kind, live);
  return { kind, name, action, differences: found, body, desired, live, marked };
}

/** A document that the server already has stays as it is, so that an exported bundle is not bundled again. */
function asStored({ body, written }: DesiredObject, live: LiveObject | undefined): Members {
  const workflow = body.workflow as Members | undefined;
  const live_source = (live?.body.workflow as Members | undefined)?.source ?? live?.body.source;
  if (written === undefined || written !== live_source) return body;
  return workflow === undefined
    ? { ...body, source: written }
    : { ...body, workflow: { ...workflow, source: written } };
}

export const label = ({ kind, name }: Pick<Step, 'kind' | 'name'>): string => `${kind.folder}/${name}`;
