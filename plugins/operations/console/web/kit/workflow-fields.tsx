import { type FormEvent, useState } from 'react';
import { Block } from './block.tsx';
import { Fact } from './facts.tsx';
import { ChoiceField, TextField } from './dialog-form.tsx';
import { LongField } from './more-fields.tsx';
import { fieldsOf as formFields } from './sending.ts';
import { Source, SourceField } from './source.tsx';
import { visible } from './text.ts';
import { fieldsOf, runsWhat, type What, whatOf } from './workflow.ts';

type Workflow = Readonly<Record<string, unknown>> | null | undefined;

const KINDS = [
  ['', 'By file name'],
  ['script', 'Script'],
  ['pipeline', 'Pipeline'],
  ['yaml', 'YAML'],
  ['graph', 'Graph document'],
] as const;

const FURTHER =
  'A JSON object with any of input, env, credentials (variable: name of a credential), tags, subject, requires, cancel_on, timeout, checkout.';

/** What shall run: the fields of a form. `nothing` says what it means that nothing does; absent: something must. */
export function WorkflowFields({ workflow, nothing }: { workflow?: Workflow; nothing?: string }) {
  const [what, setWhat] = useState<What>(workflow || nothing ? whatOf(workflow) : 'source');
  const fields = fieldsOf(workflow ?? { filename: 'run.sh' });
  return (
    <>
      <label>
        What runs
        <select name="what" value={what} onChange={({ target }) => setWhat(target.value as What)}>
          {nothing && <option value="nothing">{nothing}</option>}
          <option value="source">A script or another document</option>
          <option value="graph">A stored graph</option>
          <option value="node">A single node</option>
        </select>
      </label>
      {what === 'source' && <SourceFields fields={fields} />}
      {what === 'graph' && (
        <TextField
          name="graph"
          label="Graph"
          value={fields.graph ?? ''}
          hint="Its name, or a specific version: deploy@3"
        />
      )}
      {what === 'node' && (
        <>
          <TextField name="node" label="Node type" value={fields.node ?? ''} hint="http, forge_a.comment, …" />
          <LongField name="config" label="Configuration, as JSON" value={fields.config ?? ''} rows={5} />
        </>
      )}
      {what !== 'nothing' && (
        <details open={fields.further !== ''}>
          <summary>More settings</summary>
          <LongField
            name="further"
            label="More settings, as JSON"
            value={fields.further ?? ''}
            rows={4}
            hint={FURTHER}
          />
        </details>
      )}
    </>
  );
}

function SourceFields({ fields }: { fields: Record<string, string> }) {
  const [filename, setFilename] = useState(fields.filename ?? '');
  const follow = ({ currentTarget }: FormEvent<HTMLElement>) =>
    setFilename(formFields(currentTarget.closest('form')!).filename ?? '');
  return (
    <>
      <div className="row" onChange={follow}>
        <TextField name="filename" label="File name" value={fields.filename ?? ''} optional />
        <ChoiceField name="kind" label="Kind" value={fields.kind ?? ''} choices={KINDS} />
        <TextField name="interpreter" label="Interpreter" value={fields.interpreter ?? ''} optional />
      </div>
      <SourceField name="source" label="Document" value={fields.source ?? ''} filename={filename} />
    </>
  );
}

/** What runs, for reading. */
export function WorkflowFacts({ workflow }: { workflow: Workflow }) {
  const fields = fieldsOf(workflow);
  return (
    <>
      <Fact name="What runs">{visible(runsWhat(workflow)) || 'Nothing'}</Fact>
      {fields.interpreter && <Fact name="Interpreter">{visible(fields.interpreter)}</Fact>}
      {fields.config && (
        <Fact name="Configuration">
          <Block text={fields.config} />
        </Fact>
      )}
      {fields.further && (
        <Fact name="More settings">
          <Block text={fields.further} />
        </Fact>
      )}
      {fields.source && (
        <Fact name="Document">
          <Source text={fields.source} />
        </Fact>
      )}
    </>
  );
}
