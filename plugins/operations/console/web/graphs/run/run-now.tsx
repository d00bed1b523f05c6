import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SubmittedRun } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { DialogForm } from '../../kit/dialog-form.tsx';
import { firstInput } from '../../functions/input.ts';
import { InputFields } from '../../functions/input-form.tsx';
import { useInputs } from '../../new-run/use-inputs.ts';
import { parseJson, parseObject } from '../../kit/json.ts';
import { LongField } from '../../kit/more-fields.tsx';
import { visible } from '../../kit/text.ts';
import type { GraphDocument } from '../document.ts';

/** A stored graph, or a document that need not be saved. */
export type Runnable =
  | { graph: string; version?: number | undefined; declares?: boolean }
  | { document: GraphDocument; name?: string };

type OnRun = ((run_id: string) => void) | undefined;

/** The page of the new run follows, unless somebody takes it. */
function useSubmit(scope: Scope, onRun: OnRun) {
  const navigate = useNavigate();
  return async (body: Record<string, unknown>) => {
    const { run_id } = await json<SubmittedRun>(scoped(scope, '/runs'), { method: 'POST', body });
    if (onRun) onRun(run_id);
    else await navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run: run_id } });
  };
}

/** What a submit says of it. */
export function submitOf(of: Runnable, input: unknown): Record<string, unknown> {
  if ('graph' in of) return { graph: of.version === undefined ? of.graph : `${of.graph}@${of.version}`, input };
  const source = JSON.stringify(of.document);
  return { kind: 'graph', filename: `${of.name ?? 'unsaved'}.json`, source, input, tags: ['trial'] };
}

interface Props {
  scope: Scope;
  of: Runnable;
  main?: boolean;
  label?: string;
  onRun?: OnRun;
  /** What the field for the input begins with. */
  input?: unknown;
}

/** Runs a graph with an input that somebody gives. */
export function RunNow({ scope, of, main = false, label = 'Run now', onRun, input }: Props) {
  const submit = useSubmit(scope, onRun);
  const asks = 'graph' in of ? of.declares === true : of.document.inputs !== undefined;
  const { input: _input, tags: _tags, ...workflow } = submitOf(of, undefined);
  const schema = useInputs(scope, workflow, asks);
  const [typed, setTyped] = useState<unknown>();
  const value = typed ?? input ?? (schema && firstInput(schema));
  const what = 'graph' in of ? `--graph ${of.graph}${of.version === undefined ? '' : `@${of.version}`}` : 'graph.json';
  return (
    <DialogForm
      label={label}
      title={'graph' in of ? `Run ${of.graph} now` : 'Run the graph as shown here'}
      verb="Run graph"
      main={main}
      run={({ input: given }) => submit(submitOf(of, given === undefined ? value : parseJson(given)))}
    >
      <p className="quiet">
        Event and webhook triggers receive the input as if it had been delivered.{' '}
        <code>svc submit {what} --input …</code> does the same.
      </p>
      {schema === undefined ? (
        <LongField name="input" label="Input, as JSON" value={JSON.stringify(input ?? null, null, 2)} rows={10} />
      ) : (
        <InputFields name="inputs" schema={schema} root={schema} required value={value} onChange={setTyped} />
      )}
    </DialogForm>
  );
}

interface NodeProps {
  scope: Scope;
  type: string;
  config: Readonly<Record<string, unknown>>;
}

/** Runs one node by itself, as a graph of one node. */
export function RunNode({ scope, type, config }: NodeProps) {
  const submit = useSubmit(scope, undefined);
  const run = ({ config: text = '', input = '' }: Record<string, string>) =>
    submit({ node: type, config: parseObject(text, 'The config'), input: parseJson(input), tags: ['trial'] });
  return (
    <DialogForm label="Run node alone" title={`Run ${visible(type)} alone`} verb="Run node" run={run}>
      <p className="quiet">
        It runs as a graph with only this node: its expressions can use the input, but no other node.{' '}
        <code>svc call node {type} --config …</code> does the same.
      </p>
      <Config config={config} />
      <LongField name="input" label="Input, as JSON" value="null" rows={3} />
    </DialogForm>
  );
}

function Config({ config }: { config: Readonly<Record<string, unknown>> }) {
  const [start] = useState(() => JSON.stringify(config, null, 2));
  const reads = start.includes('nodes.') || start.includes('nodes[');
  return (
    <LongField
      name="config"
      label="Config, as JSON"
      value={start}
      rows={10}
      {...(reads && { hint: 'It reads other nodes: replace these expressions with values.' })}
    />
  );
}
