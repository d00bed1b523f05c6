import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { signalsOf } from '../app/needs-attention.ts';
import { useMay } from '../app/session.ts';
import { Panels } from '../extensions/panels.tsx';
import { Loading, Problem } from '../kit/basics.tsx';
import { LiveMark } from '../kit/live-mark.tsx';
import { useItemKeys } from '../kit/item-keys.ts';
import { Page, Panel } from '../kit/page.tsx';
import { InvitationNotice } from '../members/invitation-notice.tsx';
import { NewRunLink } from '../new-run/link.tsx';
import { Bars, Legend } from './bars.tsx';
import { Failures } from './failures.tsx';
import { trimmed } from './figures.ts';
import { Inbox } from './inbox.tsx';
import { InProgress } from './in-progress.tsx';
import { Metrics } from './metrics.tsx';
import { useOverview } from './use-overview.ts';
import { WindowChoice } from './window-choice.tsx';
import './overview.css';

const FirstVisit = lazy(() => import('./first-visit.tsx'));
const FROM = '/orgs/$org/projects/$project/';
const INBOX = 8;
const NONE: readonly RunRecord[] = [];

/** What needs a person, what fails, and what goes on. */
export function Overview() {
  const scope = useParams({ from: FROM });
  const { window = '24h' } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const may = useMay(scope);
  const read = useOverview(scope, window);
  const { summary, open, failed, ended, longer, path } = read;
  const asking = (open ?? []).filter(({ substate }) => substate?.kind === 'signal').toReversed();
  // Nothing has run here in this window, and nothing is about to.
  const fresh = summary.data && open?.length === 0 && ended?.length === 0 && isEmpty(summary.data.runs);
  useItemKeys('.inbox .what a, .groups a.what, .mini a');
  return (
    <Page
      title="Overview"
      about={<LiveMark state={read.live} />}
      actions={
        <>
          <WindowChoice
            window={window}
            choose={(chosen) => void navigate({ search: { window: chosen }, replace: true })}
          />
          {may('member') && <NewRunLink scope={scope} />}
        </>
      }
      same={{ command: `svc summary --window ${window}`, call: `GET ${path}` }}
    >
      <InvitationNotice scope={scope} />
      {read.error && <Problem error={read.error} again={read.again} />}
      {!summary.data && !summary.error && <Loading />}
      {fresh && (
        <Suspense fallback={<Loading />}>
          <FirstVisit scope={scope} summary={summary.data} />
        </Suspense>
      )}
      {summary.data && !fresh && (
        <>
          <Metrics scope={scope} summary={summary.data} longer={longer} ended={ended ?? NONE} />
          <div className="two">
            <div className="col">
              <Inbox
                scope={scope}
                asking={asking.slice(0, INBOX)}
                count={Math.max(signalsOf(summary.data), asking.length)}
                attention={summary.data.attention ?? []}
                again={read.again}
              />
              <Panel title="Runs completed" aside={<Legend series={summary.data.series} />}>
                <Bars series={trimmed(summary.data.series)} days={window === '7d'} />
              </Panel>
            </div>
            <div className="col">
              <Failures scope={scope} summary={summary.data} failed={failed} />
              <InProgress scope={scope} counts={summary.data.runs} open={open} />
            </div>
          </div>
        </>
      )}
      <Panels scope={scope} place="overview" />
    </Page>
  );
}

const isEmpty = (counts: object): boolean => Object.values(counts).every((n) => n === 0);
