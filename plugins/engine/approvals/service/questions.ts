import { iso } from '../../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import {
  type ActivityScope,
  type Approver,
  mayAnswer,
  type OpenQuestion,
  type RunReader,
  runNotFound,
} from '../../runs/contract.ts';
import type { Question } from '../generated/question.ts';

export interface QuestionsDeps {
  reader: Pick<RunReader, 'exists' | 'questions'>;
  masks: Pick<RunMasks, 'of'>;
}

/** What runs ask people. */
export class Questions {
  readonly #deps: QuestionsDeps;

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
  }

  /** The open ones, the oldest first, without the run's secrets. Throws `not_found`. */
  async open(run: ActivityScope): Promise<OpenQuestion[]> {
    const { reader, masks } = this.#deps;
    if (!(await reader.exists(run.project_id, run.run_id))) throw runNotFound(run.run_id);
    const questions = await reader.questions(run);
    // Read after the questions: the values that they show were stored before them.
    const masker = await masks.of(run);
    return questions.map((question) => ({ ...question, terms: masker.json(question.terms) }));
  }

  /** The same as they are shown to somebody. */
  async list(run: ActivityScope, approver: Approver): Promise<Question[]> {
    const questions = await this.open(run);
    const member = questions.length > 0 && (await approver.holds('member'));
    return Promise.all(
      questions.map(async ({ name, activity, terms, armed_at, deadline }) => ({
        name,
        activity,
        ...(terms.message !== undefined && { message: terms.message }),
        ...(terms.form !== undefined && { form: terms.form as Record<string, unknown> }),
        ...(terms.approvers !== undefined && { approvers: terms.approvers }),
        may_answer: member && (await mayAnswer(approver, terms)),
        since: iso(armed_at),
        ...(deadline !== null && { deadline: iso(deadline) }),
      })),
    );
  }
}
