import { useNavigate } from '@tanstack/react-router';
import { Download, FileUp } from 'lucide-react';
import { type ChangeEvent, useMemo, useRef, useState } from 'react';
import type { SubmittedRun } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Problem, Status } from '../kit/basics.tsx';
import { DialogForm } from '../kit/dialog-form.tsx';
import { DocumentField } from '../kit/editor/document-field.tsx';
import type { EditorHandle, Mark } from '../kit/editor/editor.tsx';
import { parseJson } from '../kit/json.ts';
import { LongField } from '../kit/more-fields.tsx';
import { Panel, Same } from '../kit/page.tsx';
import { saveFile } from '../kit/save-file.ts';
import { visible } from '../kit/text.ts';
import { jobsOf } from './document.ts';
import { JobCard, Stages } from './stages.tsx';
import { type Checked, useCheck } from './use-check.ts';

const FIRST = `name: hello
jobs:
  greet:
    steps:
      - run: echo hello
`;

/** A pipeline that somebody writes: checked as it is typed, drawn, and run. It is kept in no place but the person's file. */
export function Draft({ scope }: { scope: Scope }) {
  const [source, setSource] = useState(FIRST);
  const checked = useCheck(scope, source);
  const jobs = useMemo(() => jobsOf(source), [source]);
  const editor = useRef<EditorHandle>(null);
  const may = useMay(scope);
  return (
    <Panel title="Try a pipeline" aside={<FileButtons source={source} onOpen={setSource} />}>
      <DocumentField
        ref={editor}
        label="Pipeline document"
        language="yaml"
        value={source}
        onChange={setSource}
        marks={checked.marks}
      />
      <Findings checked={checked} onGo={({ line = 1, column = 1 }) => editor.current?.goTo(line, column)} />
      {jobs.length > 0 && <Stages jobs={jobs}>{(job) => <JobCard job={job} />}</Stages>}
      {may('member') && <RunDraft scope={scope} source={source} />}
      <Same by={{ command: 'svc check pipeline.yaml', call: `POST ${scoped(scope, '/check')}` }} />
    </Panel>
  );
}

/** Everything that is wrong, in words; each leads to its place. */
function Findings({ checked, onGo }: { checked: Checked; onGo(mark: Mark): void }) {
  const { marks, notes, done, error } = checked;
  if (error) return <Problem error={error} />;
  return (
    <div className="problems" role="status" aria-label="Check result">
      {marks.length === 0 && (
        <p className="row quiet">{done ? <Status of="succeeded">The document is valid.</Status> : 'Checking…'}</p>
      )}
      <ul className="plain">
        {marks.map((mark) => (
          <li key={`${mark.line} ${mark.column} ${mark.message}`}>
            <button type="button" className="small" onClick={() => onGo(mark)}>
              line {mark.line}
            </button>{' '}
            <span className={mark.severity === 'error' ? 'bad' : 'quiet'}>
              {mark.severity}: {visible(mark.message)}
            </span>
          </li>
        ))}
        {notes.map((note) => (
          <li key={note} className="quiet">
            {visible(note)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function FileButtons({ source, onOpen }: { source: string; onOpen(text: string): void }) {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const open = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    setError(undefined);
    file?.text().then(onOpen, setError);
    // The same file may be opened again after it was changed.
    target.value = '';
  };
  return (
    <div className="row">
      {error !== undefined && <Problem error={error} />}
      <input
        ref={field}
        type="file"
        className="hidden"
        accept=".yaml,.yml"
        aria-label="Pipeline file"
        tabIndex={-1}
        onChange={open}
      />
      <button type="button" className="small" onClick={() => field.current?.click()}>
        <FileUp size={14} aria-hidden /> Open file
      </button>
      <button type="button" className="small" onClick={() => saveFile('pipeline.yaml', source)}>
        <Download size={14} aria-hidden /> Save file
      </button>
    </div>
  );
}

function RunDraft({ scope, source }: { scope: Scope; source: string }) {
  const navigate = useNavigate();
  const run = async ({ input = 'null' }: Record<string, string>) => {
    const body = { kind: 'pipeline', filename: 'pipeline.yaml', source, input: parseJson(input) };
    const { run_id } = await json<SubmittedRun>(scoped(scope, '/runs'), { method: 'POST', body });
    await navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run: run_id } });
  };
  return (
    <DialogForm label="Run pipeline" title="Run the pipeline" verb="Run pipeline" main run={run}>
      <p className="quiet">
        <code>svc submit pipeline.yaml --input …</code> does the same.
      </p>
      <LongField name="input" label="Input, as JSON" value="null" rows={5} />
    </DialogForm>
  );
}
