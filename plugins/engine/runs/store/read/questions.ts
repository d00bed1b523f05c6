import type { Queries, Sealer } from '../../../../../kernel/contracts/index.ts';
import { type ActivityScope, needsPerson, type OpenQuestion, termsOf } from '../../contract.ts';
import { openText, parseJson, sealContext } from '../rows/sealing.ts';

const MAX_QUESTIONS = 100;

type QuestionRow = Omit<OpenQuestion, 'terms'> & { args: string };

/** The open waits for signals that ask a person, the oldest first. The org's keys must be ready. */
export async function readQuestions(
  on: Pick<Queries, 'read'>,
  sealer: Sealer,
  run: ActivityScope,
): Promise<OpenQuestion[]> {
  const rows = await on.read<QuestionRow>(
    `SELECT w.activity_id, w.position, a.name AS activity, w.name, w.args, w.armed_at, w.deadline FROM runs_waits w
     JOIN runs_activities a ON a.activity_id = w.activity_id
     WHERE w.run_id = ? AND w.state = 'armed' AND w.kind = 'wait-signal' ORDER BY w.seq LIMIT ${MAX_QUESTIONS}`,
    [run.run_id],
  );
  return rows.flatMap(({ args, ...wait }) => {
    const at = sealContext.waitArgs(run, { run_id: run.run_id, ...wait });
    const terms = termsOf(parseJson(openText(sealer, at, args)));
    return needsPerson(terms) ? [{ ...wait, terms }] : [];
  });
}
