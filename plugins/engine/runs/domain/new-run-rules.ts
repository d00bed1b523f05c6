import { Errors } from '../../../../kernel/contracts/index.ts';
import { type Json, type NewRun, triggerEventOf } from '../contract.ts';

const ID = /^[\x21-\x7e]{1,64}$/;
const WORD = /^[a-z][a-z0-9_-]{0,31}$/;
const NAME_POINTS = 255;

const short = (text: string): boolean => [...text].length <= NAME_POINTS;

/** Limits of the columns, which no caller inside the service may exceed. Throws `invalid_request`. */
export function checkNewRun(run: NewRun): void {
  const wrong = faultOf(run);
  if (wrong !== undefined) throw Errors.invalidRequest(wrong.message, { errors: [wrong] });
}

function faultOf(run: NewRun): { pointer: string; message: string } | undefined {
  const ids = { run_id: run.run_id, org_id: run.org_id, project_id: run.project_id };
  for (const [member, id] of Object.entries(ids))
    if (!ID.test(id)) return { pointer: `/${member}`, message: `${member} is not an ID` };
  if (!WORD.test(run.kind)) return { pointer: '/kind', message: 'kind is not a kind of workflow' };
  if (!short(run.workflow))
    return { pointer: '/workflow', message: `workflow has more than ${NAME_POINTS} characters` };
  if (!Number.isInteger(run.generation) || run.generation < 0)
    return { pointer: '/generation', message: 'generation must be a whole number' };
  if (run.activities.length === 0 && !run.coordination)
    return { pointer: '/activities', message: 'a run without an activity never ends' };
  for (const [i, { activity_id, executor, name }] of run.activities.entries())
    if (!ID.test(activity_id) || !ID.test(executor) || !short(name))
      return { pointer: `/activities/${i}`, message: 'an activity needs an id, an executor and a short name' };
  return undefined;
}

/** The object of the run's input file (ruling 16). */
export function envelopeOf(run: NewRun): { type: string; [key: string]: Json } {
  const envelope = { ...(run.envelope ?? run.trigger) };
  if (run.input !== undefined || run.trigger.type === 'manual') envelope.input = run.input ?? null;
  // Sealed with the input, and kept for a rerun.
  if (run.args !== undefined && run.args.length > 0) envelope.args = [...run.args];
  if (run.parent !== undefined) envelope.parent = run.parent;
  if (!run.triggered && envelope.event === undefined) envelope.event = triggerEventOf(run.run_id);
  return envelope;
}
