import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SavedGraph } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { DialogForm } from '../kit/dialog-form.tsx';
import { parseObject } from '../kit/json.ts';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { listKey } from '../kit/paged.ts';
import { refuseTaken } from '../kit/taken.ts';

/** Makes a graph of a document that somebody has as a file. */
export function ImportGraph({ scope }: { scope: Scope }) {
  const refetch = useRefetch();
  const navigate = useNavigate();
  const run = async ({ name = '', document = '' }: Record<string, string>) => {
    const list = scoped(scope, '/graphs');
    const path = `${list}/${encodeURIComponent(name)}`;
    const body = parseObject(document, 'The document');
    await refuseTaken(path, 'graph');
    await json<SavedGraph>(path, { method: 'PUT', body });
    await refetch(listKey(list));
    void navigate({ to: '/orgs/$org/projects/$project/graphs/$graph', params: { ...scope, graph: name } });
  };
  return (
    <DialogForm label="Import" title="Import a graph" verb="Import graph" run={run}>
      <p className="quiet">
        It is checked before it is saved, and all problems are shown.{' '}
        <code>svc graph save &lt;name&gt; &lt;file&gt;</code> does the same.
      </p>
      <Fields />
    </DialogForm>
  );
}

function Fields() {
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const read = async (file: File | undefined) => {
    if (!file) return;
    setText(await file.text());
    setName((before) => before || nameOf(file.name));
  };
  return (
    <>
      <label>
        File
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ target }) => void read(target.files?.[0]).catch(() => setText(''))}
        />
      </label>
      <label>
        Name
        <input
          name="name"
          required
          pattern={NAME}
          title={NAME_WANTS}
          spellCheck={false}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <label>
        Document, as JSON
        <textarea
          name="document"
          required
          rows={10}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
    </>
  );
}

/** `My deploy.json` → `My-deploy`. */
const nameOf = (file: string): string =>
  file
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 63);
