import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { compareRuns, type Comparison, toText } from '../../../run-views/explain/compare/comparison.ts';
import { useLive } from '../api/live.ts';
import { readAgain } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Loading, Problem, Status, Time } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { Diff } from '../kit/diff.tsx';
import { Table } from '../kit/list.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { shellQuote, span, visible } from '../kit/text.ts';
import { stepsKey } from '../run/steps.ts';
import { RunLink } from '../run/facts.tsx';
import { Choice } from './choice.tsx';
import { Steps } from './steps.tsx';
import { useWhole, type Whole } from './whole.ts';

const FROM = '/orgs/$org/projects/$project/runs/compare';

/** Two runs beside each other. */
export function Compare() {
  const scope = useParams({ from: FROM });
  const { a, b } = useSearch({ from: FROM });
  const named = [a, b].filter((id) => id !== undefined);
  return (
    <Page
      title="Compare runs"
      same={{
        command: `svc runs diff ${[a ?? '<a>', b ?? '<b>'].map((id) => shellQuote(id)).join(' ')}`,
        call: named.map((id) => `GET ${scoped(scope, `/runs/${encodeURIComponent(id)}`)}`).join('; ') || 'GET',
      }}
    >
      {a && b ? <Both key={`${a} ${b}`} scope={scope} a={a} b={b} /> : <Choice scope={scope} a={a} b={b} />}
    </Page>
  );
}

function Both({ scope, a, b }: { scope: Scope; a: string; b: string }) {
  const client = useQueryClient();
  const sides = [useWhole(scope, a), useWhole(scope, b)] as const;
  useLive(scope, a === b ? `run:${a}` : `run:${a},run:${b}`, (kind) => {
    for (const { path } of sides) {
      if (kind === 'run' || kind === 'reset') void readAgain(client, ['run', path]);
      if (kind !== 'log') void readAgain(client, stepsKey(path));
    }
  });
  const wrong = sides.find(({ error }) => error);
  if (wrong) return <Problem error={wrong.error} again={() => void wrong.record.refetch()} />;
  const [first, second] = sides.map(({ record, steps }) =>
    record.data && steps.data?.whole ? { run: record.data, steps: steps.data.steps } : undefined,
  );
  if (!first || !second) return <Loading />;
  const found = compareRuns(first, second);
  return (
    <>
      <Panel title="Both runs" aside={<Swap a={a} b={b} />} className="both" flush>
        <Heads scope={scope} a={sides[0]} b={sides[1]} found={found} />
      </Panel>
      <Content name="Input" a={inputText(sides[0])} b={inputText(sides[1])} />
      <Content name="Output" {...found.output} />
      <Content name="Error" {...found.error} />
      <Panel title="Steps">
        <Steps rows={found.steps} />
      </Panel>
    </>
  );
}

const inputText = ({ input }: Whole): string | undefined =>
  input.data && (input.data.value === undefined ? 'no longer stored' : toText(input.data.value));

function Swap({ a, b }: { a: string; b: string }) {
  const navigate = useNavigate({ from: FROM });
  const swap = () => navigate({ search: (now) => ({ ...now, a: b, b: a }), replace: true });
  return (
    <button type="button" className="small" onClick={() => void swap()}>
      <ArrowLeftRight size={14} aria-hidden /> Swap A and B
    </button>
  );
}

function Heads({ scope, a, b, found }: { scope: Scope; a: Whole; b: Whole; found: Comparison }) {
  const runs = [a.record.data!, b.record.data!] as const;
  const took = [found.took_ms.a, found.took_ms.b];
  return (
    <Table columns={['Fact', 'A', 'B']}>
      <tr>
        <th scope="row">Run</th>
        {runs.map(({ run_id, status }, i) => (
          <td key={i === 0 ? 'a' : 'b'}>
            <RunLink scope={scope} run_id={run_id} /> <Status of={status} />
          </td>
        ))}
      </tr>
      {found.facts.map((fact) => (
        <tr key={fact.name} className={fact.same ? 'quiet' : 'changed'}>
          <th scope="row">{fact.name}</th>
          <td>{visible(fact.a)}</td>
          <td>
            {visible(fact.b)} {!fact.same && <span className="mark">differs</span>}
          </td>
        </tr>
      ))}
      <tr>
        <th scope="row">Created</th>
        {runs.map(({ created_at }, i) => (
          <td key={i === 0 ? 'a' : 'b'}>
            <Time at={created_at} />
          </td>
        ))}
      </tr>
      <tr>
        <th scope="row">Duration</th>
        {took.map((ms, i) => (
          <td key={i === 0 ? 'a' : 'b'}>{ms === undefined ? 'in progress' : span(ms)}</td>
        ))}
      </tr>
    </Table>
  );
}

/** A text of both runs: once where it is the same, else what differs. */
function Content({ name, a, b }: { name: string; a: string | undefined; b: string | undefined }) {
  if (a === undefined || b === undefined || (a === '' && b === '')) return null;
  return (
    <Panel title={name}>
      {a === b ? (
        <>
          <p className="quiet">Identical in both runs.</p>
          <Block text={a} />
        </>
      ) : (
        <Diff a={a} b={b} label={`Differences in the ${name.toLowerCase()}: - is run A, + is run B`} />
      )}
    </Panel>
  );
}
