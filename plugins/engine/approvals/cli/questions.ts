import { type Api, type Client, usageError } from '../../../../cli/contract.ts';

/** A wait that a person can answer. */
export interface FoundQuestion {
  name: string;
  /** Absent: the wait has no form, approvers or message, and takes any signal. */
  question?: Api.Question;
}

/** The path of a run's signal. */
export const signalPath = (api: Client, run_id: string, name: string): string =>
  api.scoped(`/runs/${encodeURIComponent(run_id)}/signals/${encodeURIComponent(name)}`);

/** The named question of a run, or its only one. Throws a usage error that lists them. */
export async function findQuestion(api: Client, run_id: string, name: string | undefined): Promise<FoundQuestion> {
  const run_path = api.scoped(`/runs/${encodeURIComponent(run_id)}`);
  const { questions } = await api.json<Api.ListQuestions200>({ path: `${run_path}/questions` });
  if (name !== undefined) {
    const question = questions.find((one) => one.name === name);
    return question ? { name, question } : { name };
  }
  const names = [...new Set(questions.map((one) => one.name))];
  if (names.length === 1) return { name: names[0]!, question: questions[0]! };
  if (names.length > 1) throw usageError('the run asks several questions', `choose one of them: ${names.join(', ')}`);
  const { substate } = await api.json<Api.RunRecord>({ path: run_path });
  if (substate?.kind === 'signal') return { name: substate.name };
  throw usageError(`${run_id} has no open question`, `svc explain ${run_id} shows what it is doing`);
}
