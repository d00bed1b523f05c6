import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ComparedStep, Side } from '../../../run-views/explain/compare/comparison.ts';
import { plain } from '../kit/ansi.ts';
import { Empty } from '../kit/basics.tsx';
import { Diff } from '../kit/diff.tsx';
import { Table } from '../kit/list.tsx';
import { span, visible } from '../kit/text.ts';
import './compare.css';

const FROM = '/orgs/$org/projects/$project/runs/compare';
const PAGE = 200;

const VERDICTS: Record<ComparedStep['verdict'], string> = {
  same: 'same',
  differs: 'differs',
  a: 'only in A',
  b: 'only in B',
};

/** The steps of both runs by their sites; what is the same is left out until it is wanted. */
export function Steps({ rows }: { rows: readonly ComparedStep[] }) {
  const { all } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const [most, setMost] = useState(PAGE);
  const other = rows.filter(({ verdict }) => verdict !== 'same');
  const wanted = all ? rows : other;
  if (rows.length === 0) return <Empty>Neither run has recorded a call.</Empty>;
  const toggle = () => navigate({ search: (now) => ({ ...now, all: all ? undefined : 'steps' }), replace: true });
  return (
    <>
      <p className="row">
        <span>
          {other.length} of {rows.length} differ.
        </span>
        <button type="button" className="small" aria-pressed={Boolean(all)} onClick={() => void toggle()}>
          Show all
        </button>
      </p>
      {wanted.length > 0 && (
        <Table columns={['Step', 'Outcome', 'A', 'B']}>
          {wanted.slice(0, most).map((row) => (
            <Row key={`${row.activity} ${row.kind} ${row.site}`} row={row} />
          ))}
        </Table>
      )}
      {wanted.length > most && (
        <p>
          <button type="button" onClick={() => setMost(most + PAGE)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

function Row({ row }: { row: ComparedStep }) {
  const { a, b, differs } = row;
  const texts = differs.filter((member) => member !== 'outcome');
  return (
    <>
      <tr className={row.verdict === 'same' ? 'quiet' : undefined}>
        <th scope="row">
          <span className="quiet">{row.kind}</span> {visible(row.site)}
          {row.activity && <div className="quiet">{visible(row.activity)}</div>}
        </th>
        <td>
          <span className={`verdict ${row.verdict}`}>{VERDICTS[row.verdict]}</span>
          {differs.length > 0 && <div className="quiet">{differs.join(', ')}</div>}
        </td>
        <Cell side={a} />
        <Cell side={b} />
      </tr>
      {a && b && texts.length > 0 && (
        <tr className="detail">
          <td colSpan={4}>
            {texts.map((member) => (
              <Diff
                key={member}
                a={plain(a[member].trimEnd())}
                b={plain(b[member].trimEnd())}
                label={`Differences in the ${member} of ${visible(row.site)}: - is run A, + is run B`}
              />
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

const Cell = ({ side }: { side: Side | undefined }) => (
  <td>
    {side ? (
      <>
        {side.outcome}
        {side.took_ms !== undefined && <div className="quiet">{span(side.took_ms)}</div>}
      </>
    ) : (
      <span className="quiet">–</span>
    )}
  </td>
);
