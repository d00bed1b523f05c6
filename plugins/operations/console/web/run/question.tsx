import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ListQuestions200, Question, RunRecord } from '../../../../../cli/generated/api.ts';
import { describeApprovers } from '../../../../engine/runs/contract/approver-names.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { firstInput } from '../functions/input.ts';
import { InputFields } from '../functions/input-form.tsx';
import type { Schema } from '../graphs/editor/schema-fields.ts';
import { visible } from '../kit/text.ts';

/** What a run that waits for a signal asks a person; undefined without a form, approvers or a message, and until it is known. */
export function useQuestion(scope: Scope, { run_id, substate }: RunRecord): Question | undefined {
  const path = scoped(scope, `/runs/${encodeURIComponent(run_id)}/questions`);
  const { data } = useQuery({
    queryKey: ['questions', path, substate?.since],
    enabled: substate?.kind === 'signal',
    queryFn: ({ signal }) => json<ListQuestions200>(path, { signal }),
  });
  return data?.questions.find(({ name }) => name === substate?.name);
}

export interface FormState {
  /** What the fields say; undefined without a form. */
  data: unknown;
  fields: ReactNode;
}

/** The fields of a question's form. */
export function useAnswerForm(question: Question | undefined): FormState {
  const schema = question?.form as Schema | undefined;
  const [value, setValue] = useState<{ of: Question | undefined; data: unknown }>();
  const data = value?.of?.since === question?.since && value ? value.data : schema && firstInput(schema);
  const fields = schema && (
    <div className="fields">
      <InputFields
        name="answer"
        schema={schema}
        root={schema}
        required
        value={data}
        onChange={(next) => setValue({ of: question, data: next })}
      />
    </div>
  );
  return { data, fields };
}

/** Who may answer. */
export const Approvers = ({ question: { approvers } }: { question: Question }) =>
  approvers === undefined ? null : (
    <p className="quiet small-text">Answers are accepted from {visible(describeApprovers(approvers))}.</p>
  );
