import * as Dialog from '@radix-ui/react-dialog';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { type Ref, useImperativeHandle, useState } from 'react';
import type { Question, RunRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { whoamiQuery } from '../app/session.ts';
import { Problem } from '../kit/basics.tsx';
import { InlineForm } from '../kit/inline-form.tsx';
import { useSending } from '../kit/sending.ts';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { approve, reject } from './approve.ts';
import { askOf } from './ask.ts';

export interface AnswerHandle {
  approve(): void;
  /** Asks once. */
  reject(): void;
}

interface Props {
  scope: Scope;
  /** It waits for an approval. */
  run: RunRecord;
  /** What it asks; absent: the wait has no form, approvers or message. */
  question?: Question | undefined;
  /** The answer that the fields of the form say. */
  data?: unknown;
  /** The key is shown on the button. */
  keys?: boolean;
  done?(): void;
  ref?: Ref<AnswerHandle>;
}

/** The buttons that approve and reject what a run asks. */
export function Answer({ scope, run, question, data, keys = false, done, ref }: Props) {
  const who = useQuery(whoamiQuery);
  const by = who.data?.user.name ?? 'somebody';
  const [asks, setAsks] = useState(false);
  const { busy, error, send } = useSending();
  const say = (text: string) =>
    toast(text, {
      action: (
        <Link
          className="button ghost small"
          to="/orgs/$org/projects/$project/runs/$run"
          params={{ ...scope, run: run.run_id }}
        >
          Open run
        </Link>
      ),
    });
  const yes = async () => {
    if (busy || !(await send(() => approve(scope, run, { question, by }, data)))) return;
    say('Run approved');
    done?.();
  };
  const no = async ({ why = '' }: Record<string, string>) => {
    await reject(scope, run, { question, by }, why);
    say('Run rejected');
  };
  useImperativeHandle(ref, () => ({ approve: () => void yes(), reject: () => setAsks(true) }));
  return (
    <>
      <button type="button" className="reject" onClick={() => setAsks(true)}>
        Reject
      </button>
      <button type="button" className="main" disabled={busy} onClick={() => void yes()}>
        <Check size={14} aria-hidden /> Approve {keys && <kbd aria-hidden>A</kbd>}
      </button>
      {error !== undefined && <Problem error={error} />}
      <Dialog.Root open={asks} onOpenChange={setAsks}>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="dialog" aria-describedby={undefined}>
            <Dialog.Title>Reject “{visible(question?.message ?? askOf(run).title)}”?</Dialog.Title>
            <InlineForm
              verb={question ? 'Reject' : 'Reject and cancel run'}
              danger
              run={no}
              done={() => {
                setAsks(false);
                done?.();
              }}
              inDialog
            >
              <p className="second">
                {question
                  ? `The workflow ${visible(run.workflow)} decides what happens after a rejection.`
                  : `The run of ${visible(run.workflow)} ends now. Completed steps are not undone. If the workflow handles rejections itself, send the payload under Advanced on the run's page.`}
              </p>
              <label>
                Reason (optional)
                <input name="why" autoComplete="off" />
              </label>
            </InlineForm>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}
