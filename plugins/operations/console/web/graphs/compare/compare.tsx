import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Change } from '../../../../../documents/graphs/explain/compare.ts';
import type { GraphView } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { Empty, Loading, Problem } from '../../kit/basics.tsx';
import { Block } from '../../kit/block.tsx';
import { Table } from '../../kit/list.tsx';
import { Panel, Same } from '../../kit/page.tsx';
import { pretty, visible } from '../../kit/text.ts';
import { GraphCanvas } from '../canvas/canvas.tsx';
import { readDocument } from '../document.ts';
import type { GraphSearch } from '../search.ts';
import { byNode, differencesOf } from './differences.ts';

interface Props {
  scope: Scope;
  graph: GraphView;
  search: GraphSearch;
}

const HERE = '/orgs/$org/projects/$project/graphs/$graph';

/** Two versions in one drawing, and the fields in which they differ. */
export function CompareVersions({ scope, graph: { name, latest_version, published_version }, search }: Props) {
  const navigate = useNavigate({ from: HERE });
  const { to = latest_version } = search;
  const {
    from = published_version !== undefined && published_version !== to ? published_version : Math.max(1, to - 1),
  } = search;
  const choose = (more: GraphSearch) => void navigate({ search: { tab: 'compare', from, to, ...more }, replace: true });
  const [before, after] = [useVersion(scope, name, from), useVersion(scope, name, to)];
  const error = before.error ?? after.error;
  return (
    <>
      <div className="filters">
        <VersionChoice
          label="From version"
          value={from}
          latest={latest_version}
          onChange={(n) => choose({ from: n })}
        />
        <VersionChoice label="To version" value={to} latest={latest_version} onChange={(n) => choose({ to: n })} />
      </div>
      {error && <Problem error={error} />}
      {!error && !(before.data && after.data) && <Loading />}
      {before.data && after.data && (
        <Compared
          key={`${from} ${to}`}
          before={before.data}
          after={after.data}
          selected={search.node}
          onSelect={(node) => choose(node ? { node } : {})}
        />
      )}
      <Same
        by={{
          command: `svc graph diff ${name}@${from} ${name}@${to}`,
          call: `GET ${versionPath(scope, name, from)}`,
        }}
      />
    </>
  );
}

const versionPath = (scope: Scope, name: string, version: number) =>
  scoped(scope, `/graphs/${encodeURIComponent(name)}?version=${version}`);

/** A version never changes. */
const useVersion = (scope: Scope, name: string, version: number) =>
  useQuery({
    queryKey: ['graph-version', versionPath(scope, name, version)],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<GraphView>(versionPath(scope, name, version), { signal }),
  });

interface ChoiceProps {
  label: string;
  value: number;
  latest: number;
  onChange(version: number): void;
}

const VersionChoice = ({ label, value, latest, onChange }: ChoiceProps) => (
  <label>
    {label}
    <input
      key={value}
      type="number"
      min={1}
      max={latest}
      defaultValue={value}
      onChange={({ target }) => {
        if (target.value !== '' && target.validity.valid) onChange(target.valueAsNumber);
      }}
    />
  </label>
);

interface ComparedProps {
  before: GraphView;
  after: GraphView;
  selected: string | undefined;
  onSelect(node: string | undefined): void;
}

function Compared({ before, after, selected, onSelect }: ComparedProps) {
  const { both, marks, edgeMarks, changes } = useMemo(
    () => differencesOf(readDocument(before.document), readDocument(after.document)),
    [before, after],
  );
  const own = selected === undefined ? undefined : byNode(changes).get(selected);
  const shown = own ?? (selected === undefined ? changes : []);
  return (
    <div className="graph-compared">
      <GraphCanvas
        document={both}
        marks={marks}
        edgeMarks={edgeMarks}
        selected={selected}
        onSelect={onSelect}
        label="Both versions"
      />
      <Panel
        title={selected === undefined ? 'What changed' : `What changed in ${visible(selected)}`}
        aside={
          selected !== undefined && (
            <button type="button" className="small" onClick={() => onSelect(undefined)}>
              Show all
            </button>
          )
        }
      >
        {shown.length === 0 ? <Empty>Nothing.</Empty> : <Changes changes={shown} />}
      </Panel>
    </div>
  );
}

const SIGNS = { added: '+ added', removed: '− removed', changed: '≠ changed' } as const;

const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <div className="changes">
    <Table columns={['Position', 'Before', 'After']}>
      {changes.map(({ what, subject, field, from, to }) => (
        <tr key={`${subject} ${field}`}>
          <td>
            <strong>{visible(subject)}</strong>
            {field !== undefined && (
              <div>
                <code>{visible(field)}</code>
              </div>
            )}
            <div className="quiet">{SIGNS[what]}</div>
          </td>
          <td>{from !== undefined && <Block text={pretty(from)} />}</td>
          <td>{to !== undefined && <Block text={pretty(to)} />}</td>
        </tr>
      ))}
    </Table>
  </div>
);
