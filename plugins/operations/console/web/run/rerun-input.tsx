import * as Dialog from '@radix-ui/react-dialog';
import { useQuery } from '@tanstack/react-query';
import type { DeclaredInputs, RunDocument, RunInput, RunRecord } from '../../../../../cli/generated/api.ts';
import { json, Refusal } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import type { Schema } from '../graphs/editor/schema-fields.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { DeclaredRunForm, RunForm } from '../new-run/run-form.tsx';
import { runPath } from './use-run.ts';
import './cards.css';

interface Props {
  scope: Scope;
  run: RunRecord;
  close(): void;
}

/** What the run was given, and the schema of the inputs that its document declares. */
interface Original {
  input: unknown;
  schema: Schema | undefined;
}

/** Runs a finished run again with an input that begins as that of the run. */
export const RerunWithInput = ({ scope, run, close }: Props) => (
  <Dialog.Root open onOpenChange={close}>
    <Dialog.Portal>
      <Dialog.Overlay className="overlay" />
      <Dialog.Content className="dialog rerun-input">
        <Dialog.Title>Rerun with another input</Dialog.Title>
        <Dialog.Description asChild>
          <p>A new run of the same workflow starts from the beginning with this input.</p>
        </Dialog.Description>
        <RerunForm scope={scope} run={run} close={close} />
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

function RerunForm({ scope, run, close }: Props) {
  const path = runPath(scope, run.run_id);
  const read = useQuery({
    queryKey: ['rerun-input', path],
    // The schema of a function is that of its newest version.
    gcTime: 0,
    queryFn: ({ signal }) => readOriginal(scope, path, signal),
  });
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Loading />;
  const { input, schema } = read.data;
  const what = {
    scope,
    body: {},
    command: `svc rerun ${run.run_id}`,
    again: { run_id: run.run_id, input, done: close },
  };
  return (
    <>
      {JSON.stringify(input)?.includes('***') && (
        <p className="hint">The input contains masked values. Replace each *** with its actual value.</p>
      )}
      {schema ? <DeclaredRunForm {...what} schema={schema} /> : <RunForm {...what} start={input} fields={undefined} />}
    </>
  );
}

async function readOriginal(scope: Scope, path: string, signal: AbortSignal): Promise<Original> {
  const [{ kind, filename, source }, { envelope }] = await Promise.all([
    json<RunDocument>(`${path}/document`, { signal }),
    json<RunInput>(`${path}/input`, { signal }),
  ]);
  const body = { kind, source, ...(filename !== undefined && { filename }) };
  const { schema } = await json<DeclaredInputs>(scoped(scope, '/inputs'), { method: 'POST', body, signal }).catch(
    (error: unknown): DeclaredInputs => {
      // A document that nobody can read any more takes JSON; the server says what it thinks of it.
      if (error instanceof Refusal && error.status === 422) return {};
      throw error;
    },
  );
  const input = envelope.inputs ?? envelope.input ?? envelope.payload ?? null;
  return { input, schema: typeof schema === 'object' ? (schema as Schema) : undefined };
}
