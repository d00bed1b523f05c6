import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FunctionDetails, FunctionView } from '../../../../../cli/generated/api.ts';
import { readAllPages } from '../api/all-pages.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { groupFunctions } from '../functions/group.ts';
import type { Schema } from '../graphs/editor/schema-fields.ts';
import { Empty, Loading, Problem, Status } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';
import { shellQuote, visible } from '../kit/text.ts';
import { DeclaredRunForm, RunForm } from './run-form.tsx';

interface Props {
  scope: Scope;
  chosen: string | undefined;
  onChoose(name: string): void;
}

/** A function of a worker, with the fields of its input schema. */
export function ServedFunction({ scope, chosen, onChoose }: Props) {
  const path = scoped(scope, '/functions');
  const list = useQuery({
    queryKey: ['found', path],
    queryFn: ({ signal }) => readAllPages<FunctionView>(path, 'functions', { signal }),
  });
  const all = groupFunctions(list.data ?? []);
  const name = chosen ?? all[0]?.name;
  const of = scoped(scope, `/functions/${encodeURIComponent(name ?? '')}`);
  const shown = useQuery({
    queryKey: ['function', of],
    enabled: name !== undefined,
    queryFn: ({ signal }) => json<FunctionDetails>(of, { signal }),
  });
  if (list.error) return <Problem error={list.error} again={() => void list.refetch()} />;
  if (!list.data) return <Loading />;
  const known = all.find((one) => one.name === name);
  return (
    <div className="new-run">
      <Panel title="Function">
        <label>
          Function
          <select value={name ?? ''} onChange={({ target }) => onChoose(target.value)}>
            {name === undefined && <option value="">No worker has registered a function yet</option>}
            {name !== undefined && !known && <option value={name}>{name}</option>}
            {all.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        {name === undefined && (
          <Empty>
            <code>svc worker orders.ts</code> serves the workflows in a file.
          </Empty>
        )}
        {known && (
          <p className="row">
            {known.workers.length > 0 ? (
              <Status of="online">{`Served by ${known.workers.map(visible).join(', ')}`}</Status>
            ) : (
              <Status of="waiting">No worker serves it: the run waits for one</Status>
            )}
            <Link to="/orgs/$org/projects/$project/functions/$function" params={{ ...scope, function: known.name }}>
              About this function
            </Link>
          </p>
        )}
        {shown.error && <Problem error={shown.error} again={() => void shown.refetch()} />}
      </Panel>
      {shown.data && <FunctionForm key={shown.data.name} scope={scope} of={shown.data} />}
    </div>
  );
}

function FunctionForm({ scope, of: { name, input: schema } }: { scope: Scope; of: FunctionDetails }) {
  const root = typeof schema === 'object' ? (schema as Schema) : undefined;
  const what = { scope, command: `svc submit --function ${shellQuote(name)}`, body: { function: name } };
  return root === undefined ? (
    <RunForm {...what} start={undefined} fields={undefined} />
  ) : (
    <DeclaredRunForm {...what} schema={root} />
  );
}
