import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MailCheck, MailX, RotateCw, Trash2 } from 'lucide-react';
import type { DeadLetterView, EventReplayView, ReplayedEvent } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Time } from '../kit/basics.tsx';
import { AGES, ChipBar, type TypedFilter } from '../kit/chip-bar.tsx';
import { Asked, Confirm } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { Page, Same } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
import { shellQuote, visible } from '../kit/text.ts';
import { type DeadLetterFilters, LETTER_FILTERS } from './letter-filters.ts';
import { EventLink, ShortRun, ThingLink } from './links.tsx';

const FROM = '/orgs/$org/projects/$project/dead-letters';

const KINDS: readonly TypedFilter<'handler' | 'type' | 'since'>[] = [
  { name: 'handler', label: 'Handler', operator: 'is', hint: 'receipt' },
  { name: 'type', label: 'Type', operator: 'is', hint: 'order.paid' },
  { name: 'since', label: 'Failed', operator: 'in the last', hint: '2h, or a time', suggest: AGES },
];

/** Deliveries to handlers that failed for good. */
export function DeadLetters() {
  const scope = useParams({ from: FROM });
  const filters = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const may = useMay(scope);
  const path = scoped(scope, '/dead-letters');
  const list = usePaged<'dead_letters', DeadLetterView>('dead_letters', path, { ...filters }, { again_ms: AGAIN_MS });
  const go = (next: DeadLetterFilters) => void navigate({ search: next, replace: true });
  const flags = flagsOf(filters);
  return (
    <Page
      title="Dead letters"
      bleed
      actions={
        <>
          <Link to="/orgs/$org/projects/$project/events" params={scope} search={{}} className="button">
            Events
          </Link>
          {may('member') && <RedeliverAll scope={scope} path={path} filters={filters} />}
        </>
      }
      same={{ command: `svc dead-letter ls${flags}`, call: `GET ${path}${query({ ...filters })}` }}
    >
      <ChipBar
        kinds={KINDS}
        values={filters}
        onChange={go}
        onClear={() => go({})}
        canClear={Object.keys(filters).length > 0}
      />
      <List list={list} nothing={<NoLetters filtered={Object.keys(filters).length > 0} />}>
        {(letters) => (
          <Rows<DeadLetterView>
            label="Dead letters"
            head="Handler"
            items={letters}
            keyOf={({ dead_letter }) => dead_letter}
            mark={() => <Mark icon={MailX} />}
            title={({ handler }) => <ThingLink scope={scope} kind="handler" name={handler} />}
            columns={[
              {
                ...{ name: 'Event', look: 'c-name second' },
                cell: ({ event, type }) => (
                  <EventLink scope={scope} event={event}>
                    {visible(type)}
                  </EventLink>
                ),
              },
              { ...{ name: 'Run', look: 'c-short second' }, cell: (letter) => <Run scope={scope} letter={letter} /> },
              {
                ...{ name: 'Reason', look: 'c-roomy second c-wide' },
                cell: ({ reason }) => <span title={visible(reason)}>{visible(reason)}</span>,
              },
              { name: 'Failed', look: 'c-end', cell: ({ failed_at }) => <Time at={failed_at} /> },
            ]}
            second={(letter) => (
              <span className="clip">
                {visible(letter.type)} · {visible(letter.reason)}
              </span>
            )}
            aside={({ failed_at }) => <Time at={failed_at} />}
            {...(may('member') && {
              actions: (letter: DeadLetterView) => <LetterMenu scope={scope} letter={letter} path={path} />,
            })}
          />
        )}
      </List>
    </Page>
  );
}

const flagsOf = (filters: DeadLetterFilters): string =>
  LETTER_FILTERS.map((name) => (filters[name] ? ` --${name} ${shellQuote(filters[name])}` : '')).join('');

const Run = ({ scope, letter: { run_id } }: { scope: Scope; letter: DeadLetterView }) =>
  run_id === undefined ? <span className="quiet">none started</span> : <ShortRun scope={scope} run_id={run_id} />;

interface AllProps {
  scope: Scope;
  path: string;
  filters: DeadLetterFilters;
}

function RedeliverAll({ scope, path, filters }: AllProps) {
  const refetch = useRefetch();
  const at = scoped(scope, '/event-replays');
  const redeliver = async () => {
    await json<EventReplayView>(at, { method: 'POST', body: { ...filters, failed: true } });
    await refetch(listKey(path));
  };
  return (
    <Confirm label="Redeliver all…" title="Redeliver all?" verb="Redeliver" run={redeliver}>
      Each of the listed deliveries starts another run, up to 1,000 of them, in the background.
      <Same by={{ command: `svc events replay --failed${flagsOf(filters)}`, call: `POST ${at}` }} />
    </Confirm>
  );
}

function LetterMenu({ scope, letter, path }: { scope: Scope; letter: DeadLetterView; path: string }) {
  const refetch = useRefetch();
  const navigate = useNavigate();
  const { dead_letter: id, event } = letter;
  const at = `${path}/${encodeURIComponent(id)}`;
  const redeliver = async () => {
    const { run_id } = await json<ReplayedEvent>(`${at}/redeliver`, { method: 'POST', body: {} });
    await refetch(listKey(path));
    if (run_id === undefined)
      void navigate({ to: '/orgs/$org/projects/$project/events/$event', params: { ...scope, event } });
    else void navigate({ to: '/orgs/$org/projects/$project/runs/$run', params: { ...scope, run: run_id } });
  };
  const dismiss = async () => {
    await json(at, { method: 'DELETE' });
    await refetch(listKey(path));
  };
  return (
    <ActionMenu
      label={`Actions for dead letter ${id.slice(-6)}`}
      small
      actions={[
        {
          icon: RotateCw,
          label: 'Redeliver',
          opens: (close) => (
            <Asked title="Redeliver?" verb="Redeliver" run={redeliver} close={close}>
              The handler receives the event again, and another run starts.
              <Same by={{ command: `svc dead-letter redeliver ${id}`, call: `POST ${at}/redeliver` }} />
            </Asked>
          ),
        },
        {
          icon: Trash2,
          label: 'Dismiss',
          opens: (close) => (
            <Asked title="Dismiss?" verb="Dismiss" run={dismiss} close={close}>
              The dead letter is removed from the list. Its event and its run stay.
              <Same by={{ command: `svc dead-letter dismiss ${id}`, call: `DELETE ${at}` }} />
            </Asked>
          ),
        },
      ]}
    />
  );
}

const NoLetters = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <Empty icon={MailCheck} title="No dead letter matches these filters" />
  ) : (
    <Empty icon={MailCheck} title="No dead letters">
      Deliveries to handlers that fail permanently appear here.
    </Empty>
  );
