import type { Event } from '../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, Loading, Problem } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';
import type { EventFilters } from './filters.ts';
import { EventTable } from './table.tsx';
import { useEvents } from './use-events.ts';

const LOOKED_AT = 200;
const SHOWN = 20;

interface Props {
  scope: Scope;
  title: string;
  filters: EventFilters;
  /** What the filters of the API cannot say. */
  fits(event: Event): boolean;
  empty: string;
}

/** What has come lately from one hook, webhook or schedule. */
export function RecentEvents({ scope, title, filters, fits, empty }: Props) {
  const list = useEvents(scope, filters, LOOKED_AT);
  const found = list.items?.filter(fits).slice(0, SHOWN);
  return (
    <Panel title={title}>
      {list.error && <Problem error={list.error} again={() => void list.refetch()} />}
      {!found && !list.error && <Loading />}
      {found?.length === 0 && <Empty>{empty}</Empty>}
      {found && found.length > 0 && <EventTable scope={scope} events={found} />}
      {found && list.hasNextPage && (
        <p className="quiet">Of the newest {LOOKED_AT} events of this source; the page Events has them all.</p>
      )}
    </Panel>
  );
}
