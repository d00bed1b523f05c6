import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunRecord, Summary } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { span } from '../kit/text.ts';
import { Spark } from './bars.tsx';
import { before, changeOf, completed, percent, quantile, timesOf } from './figures.ts';
import { LOOKED_AT } from './use-overview.ts';

interface Props {
  scope: Scope;
  summary: Summary;
  longer: Summary | undefined;
  /** The newest runs that ended in the window. */
  ended: readonly RunRecord[];
}

/** Five numbers, each beside the one of the window before. */
export function Metrics({ scope, summary, longer, ended }: Props) {
  const { series, runs, failure_rate, agents, window } = summary;
  const all = runs.succeeded + runs.failed + runs.cancelled;
  const then = before(summary, longer);
  const worse = then && then.completed > 0 ? failure_rate - then.failed / then.completed : undefined;
  const { took, queued } = timesOf(ended);
  const used = agents.slots - agents.free;
  const looked = ended.length === LOOKED_AT ? `newest ${LOOKED_AT} runs` : undefined;
  return (
    <dl className="metrics">
      <Metric
        name="Runs completed"
        value={all.toLocaleString('en')}
        beside={changeOf(all, then?.completed)}
        spark={<Spark values={series.map(completed)} />}
        link={(text) => (
          <Link
            to="/orgs/$org/projects/$project/runs"
            params={scope}
            search={{ status: 'succeeded,failed,cancelled', since: window }}
          >
            {text}
          </Link>
        )}
      />
      <Metric
        name="Failure rate"
        value={percent(failure_rate)}
        beside={worse === undefined || Math.abs(worse) < 0.0005 ? undefined : pointsOf(worse)}
        tone={worse === undefined ? undefined : worse > 0 ? 'failed' : 'succeeded'}
        spark={
          <Spark
            values={series.map((one) => (completed(one) === 0 ? 0 : one.failed / completed(one)))}
            state="failed"
          />
        }
        link={(text) => (
          <Link to="/orgs/$org/projects/$project/runs" params={scope} search={{ status: 'failed', since: window }}>
            {text}
          </Link>
        )}
      />
      <Metric
        name="Median duration"
        value={lastingOf(took, 0.5)}
        beside={looked}
        spark={<Spark values={took.slice(-60)} />}
      />
      <Metric
        name="Queue time, p95"
        value={lastingOf(queued, 0.95)}
        beside={looked}
        spark={<Spark values={queued.slice(-60)} />}
      />
      <Metric
        name="Slots in use"
        value={
          <>
            {used} <small>of {agents.slots}</small>
          </>
        }
        beside={agents.connected === 1 ? '1 agent' : `${agents.connected} agents`}
        spark={<Share of={agents.slots === 0 ? 0 : used / agents.slots} />}
        link={(text) => (
          <Link to="/orgs/$org/projects/$project/agents" params={scope}>
            {text}
          </Link>
        )}
      />
    </dl>
  );
}

const pointsOf = (worse: number): string => `${worse > 0 ? '+' : '−'}${Math.abs(worse * 100).toFixed(1)} pt`;

function lastingOf(values: readonly number[], share: number): ReactNode {
  const value = quantile(values, share);
  if (value === undefined) return '–';
  const [number, ...unit] = span(value).split(' ');
  return (
    <>
      {number} <small>{unit.join(' ')}</small>
    </>
  );
}

interface MetricProps {
  name: string;
  value: ReactNode;
  beside?: string | undefined;
  tone?: 'failed' | 'succeeded' | undefined;
  spark: ReactNode;
  link?(text: string): ReactNode;
}

const Metric = ({ name, value, beside, tone, spark, link }: MetricProps) => (
  <div className="metric">
    <dt>{link ? link(name) : name}</dt>
    <dd>
      <span className="value">{value}</span>
      {beside && <span className={`beside ${tone ? `toned ${tone}` : ''}`}>{beside}</span>}
    </dd>
    <dd>{spark}</dd>
  </div>
);

const Share = ({ of }: { of: number }) => (
  <svg className="share" height="6" aria-hidden="true">
    <rect className="ground" width="100%" height="6" rx="3" />
    {of > 0 && <rect className="share-used" width={`${Math.min(1, of) * 100}%`} height="6" rx="3" />}
  </svg>
);
