import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { type ChangeEvent, useRef, useState } from 'react';
import type { GraphEntry, GraphVersion } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { Loading, Problem } from '../kit/basics.tsx';
import { DocumentField } from '../kit/editor/document-field.tsx';
import { languageOf } from '../kit/editor/language.ts';
import { Page, Panel } from '../kit/page.tsx';
import { useSending } from '../kit/sending.ts';
import { shellQuote } from '../kit/text.ts';
import { type Draft, type What, whatOf } from './address.ts';
import { ServedFunction } from './function.tsx';
import { DocumentRunForm } from './run-form.tsx';
import './new-run.css';

const FROM = '/orgs/$org/projects/$project/new-run';

const STARTS: Record<'script' | 'pipeline', { filename: string; source: string }> = {
  script: {
    filename: 'run.sh',
    source: 'name=$(svc input name --default world)\nsvc step greet -- echo "hello, $name"\n',
  },
  pipeline: {
    filename: 'pipeline.yaml',
    source: 'name: hello\njobs:\n  greet:\n    steps:\n      - run: echo hello\n',
  },
};

const CHOICES: readonly (readonly [What, string])[] = [
  ['script', 'Script'],
  ['pipeline', 'Pipeline'],
  ['graph', 'Stored graph'],
  ['function', 'Function'],
];

/** Choose or paste a workflow, fill in what it reads, run it. */
export function NewRun() {
  const scope = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const what = whatOf(search);
  const navigate = useNavigate({ from: FROM });
  const { draft } = useRouterState({ select: ({ location }) => location.state });
  const [texts, setTexts] = useState(() =>
    draft && (what === 'script' || what === 'pipeline') ? { ...STARTS, [what]: draft } : STARTS,
  );
  const choose = (next: What) => void navigate({ search: { what: next }, replace: true });
  return (
    <Page title="New run">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form */}
      <div className="seg new-run-what" role="group" aria-label="What runs">
        {CHOICES.map(([value, name]) => (
          <button key={value} type="button" aria-pressed={what === value} onClick={() => choose(value)}>
            {name}
          </button>
        ))}
      </div>
      {what === 'graph' && (
        <StoredGraph
          scope={scope}
          chosen={search.graph}
          onChoose={(name) => void navigate({ search: { what, graph: name }, replace: true })}
        />
      )}
      {what === 'function' && (
        <ServedFunction
          scope={scope}
          chosen={search.function}
          onChoose={(name) => void navigate({ search: { what, function: name }, replace: true })}
        />
      )}
      {(what === 'script' || what === 'pipeline') && (
        <Pasted
          key={what}
          scope={scope}
          kind={what}
          text={texts[what]}
          onChange={(text) => setTexts({ ...texts, [what]: text })}
        />
      )}
    </Page>
  );
}

interface PastedProps {
  scope: Scope;
  kind: 'script' | 'pipeline';
  text: Draft;
  onChange(text: Draft): void;
}

function Pasted({ scope, kind, text, onChange }: PastedProps) {
  const { filename, source } = text;
  return (
    <div className="new-run">
      <Panel title={kind === 'script' ? 'Script' : 'Pipeline'} aside={<OpenFile onOpen={onChange} />}>
        <label>
          File name
          <input value={filename} onChange={({ target }) => onChange({ source, filename: target.value })} />
          <span className="hint">Its extension determines how it runs.</span>
        </label>
        <DocumentField
          label={kind === 'script' ? 'Script document' : 'Pipeline document'}
          language={languageOf(filename, source)}
          value={source}
          onChange={(next) => onChange({ filename, source: next })}
        />
      </Panel>
      <DocumentRunForm
        scope={scope}
        source={source}
        command={`svc submit ${shellQuote(filename)}`}
        body={{ kind, filename, source }}
      />
    </div>
  );
}

function OpenFile({ onOpen }: { onOpen(text: Draft): void }) {
  const field = useRef<HTMLInputElement>(null);
  const { error, send } = useSending();
  const open = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file) void send(async () => onOpen({ filename: file.name, source: await file.text() }));
    // The same file may be opened again after it was changed.
    target.value = '';
  };
  return (
    <span>
      {error !== undefined && <Problem error={error} />}
      <input ref={field} type="file" className="hidden" aria-label="Workflow file" tabIndex={-1} onChange={open} />
      <button type="button" className="small" onClick={() => field.current?.click()}>
        <FileUp size={14} aria-hidden /> Open file
      </button>
    </span>
  );
}

interface GraphProps {
  scope: Scope;
  chosen: string | undefined;
  onChoose(name: string): void;
}

function StoredGraph({ scope, chosen, onChoose }: GraphProps) {
  const path = scoped(scope, '/graphs');
  const list = useQuery({
    queryKey: ['found', path],
    queryFn: ({ signal }) => readAllPages<GraphEntry>(path, 'graphs', { signal }),
  });
  const graphs = list.data ?? [];
  const name = chosen ?? graphs[0]?.name;
  const of = scoped(scope, `/graphs/${encodeURIComponent(name ?? '')}`);
  const graph = useQuery({
    queryKey: ['graph-of-new-run', of],
    enabled: name !== undefined,
    queryFn: ({ signal }) => json<GraphVersion>(of, { signal }),
  });
  if (list.error) return <Problem error={list.error} again={() => void list.refetch()} />;
  if (!list.data) return <Loading />;
  return (
    <div className="new-run">
      <Panel title="Graph">
        <label>
          Graph
          <select value={name ?? ''} onChange={({ target }) => onChoose(target.value)}>
            {graphs.length === 0 && <option value="">No graphs stored yet</option>}
            {graphs.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        {graph.error && <Problem error={graph.error} again={() => void graph.refetch()} />}
      </Panel>
      {name !== undefined && (
        <DocumentRunForm
          key={name}
          scope={scope}
          source={graph.data ? JSON.stringify(graph.data) : ''}
          command={`svc submit --graph ${shellQuote(name)}`}
          body={{ graph: name }}
        />
      )}
    </div>
  );
}
