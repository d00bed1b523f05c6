import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { AuditEntry } from '../../../../../cli/generated/api.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useOwns } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { shellQuote, visible } from '../kit/text.ts';
import { auditCommand, type AuditFilters, readAuditFilters } from './filters.ts';

/** Who did what. */
export function Audit() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/audit' });
  const filters = useSearch({ from: '/orgs/$org/projects/$project/audit' });
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/audit' });
  const owner = useOwns(scope.org);
  const { of, ...asked } = filters;
  const path = of ? `/api/v1/orgs/${encodeURIComponent(scope.org)}/audit` : scoped(scope, '/audit');
  const list = usePaged<'entries', AuditEntry>('entries', path, asked, { again_ms: AGAIN_MS });
  const some = Object.keys(asked).length > 0;
  return (
    <Page
      title="Audit"
      same={{ command: auditCommand(filters, shellQuote), call: `GET ${path}${query({ ...asked })}` }}
    >
      <Filters
        key={JSON.stringify(filters)}
        filters={filters}
        owner={owner}
        onChange={(next) => void navigate({ search: next, replace: true })}
      />
      <List list={list} empty={some ? 'Nothing fits these filters.' : 'Nothing is on record yet.'} more="Show older">
        {(items) => (
          <Table columns={['When', 'Who', 'Action', 'Of what', '-Request']}>
            {items.map((entry) => (
              <Entry key={entry.id} scope={scope} entry={entry} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

const TIMES: readonly [string, string][] = [
  ['', 'Any time'],
  ['1h', 'The last hour'],
  ['24h', 'The last day'],
  ['7d', 'The last week'],
  ['30d', 'The last 30 days'],
];

/** Texts are sent by Enter or by the button, choices at once. */
function Filters({
  filters,
  owner,
  onChange,
}: {
  filters: AuditFilters;
  owner: boolean;
  onChange(next: AuditFilters): void;
}) {
  const send = (form: HTMLFormElement) => onChange(readAuditFilters(Object.fromEntries(new FormData(form))));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    send(event.currentTarget);
  };
  const since = filters.since ?? '';
  return (
    <form className="filters" onSubmit={submit}>
      <input name="action" aria-label="Action" placeholder="Action" defaultValue={filters.action} />
      <input name="principal" aria-label="Who" placeholder="Who" defaultValue={filters.principal} />
      <select
        name="since"
        aria-label="Since"
        defaultValue={since}
        onChange={({ currentTarget }) => send(currentTarget.form!)}
      >
        {!TIMES.some(([value]) => value === since) && <option value={since}>Since {since}</option>}
        {TIMES.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {(owner || filters.of) && (
        <select
          name="of"
          aria-label="Where"
          defaultValue={filters.of ?? ''}
          onChange={({ currentTarget }) => send(currentTarget.form!)}
        >
          <option value="">This project</option>
          <option value="org">The org itself</option>
        </select>
      )}
      <button type="submit">Show</button>
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </form>
  );
}

function Entry({ scope, entry }: { scope: Scope; entry: AuditEntry }) {
  const { at, principal, action, subject, detail, request_id, ip } = entry;
  return (
    <tr>
      <td className="tight">
        <Time at={at} />
      </td>
      <td>
        {principal ? <Name>{principal.name}</Name> : <span className="quiet">the service</span>}
        {principal?.kind === 'agent' && <div className="quiet">an agent</div>}
      </td>
      <td className="word">
        <span className="mono">{action}</span>
      </td>
      <td>
        {subject.startsWith('run_') ? (
          <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: subject }} title={subject}>
            run <span className="mono">{visible(subject.slice(-6))}</span>
          </Link>
        ) : (
          <Name>{subject}</Name>
        )}
        {detail && <div className="quiet">{visible(detail)}</div>}
      </td>
      <td className="wide quiet mono">
        {visible(request_id)}
        {ip && <div>{visible(ip)}</div>}
      </td>
    </tr>
  );
}
