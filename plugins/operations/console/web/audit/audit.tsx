import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ScrollText, Server } from 'lucide-react';
import type { AuditEntry } from '../../../../../cli/generated/api.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useOwns } from '../app/session.ts';
import { Avatar, Mark } from '../kit/avatar.tsx';
import { Empty, Tag, Time } from '../kit/basics.tsx';
import { FilterText, SinceFilter } from '../kit/filter-fields.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { Rows } from '../kit/rows.tsx';
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
      bleed
      same={{ command: auditCommand(filters, shellQuote), call: `GET ${path}${query({ ...asked })}` }}
    >
      <Filters filters={filters} owner={owner} onChange={(next) => void navigate({ search: next, replace: true })} />
      <List
        list={list}
        more="Show older"
        nothing={
          some ? (
            <Empty
              icon={ScrollText}
              title="No entry matches these filters"
              action={
                <button type="button" onClick={() => void navigate({ search: {}, replace: true })}>
                  Show all entries
                </button>
              }
            />
          ) : (
            <Empty icon={ScrollText} title="Nothing recorded yet">
              Changes to the project and reads of secrets are recorded here.
            </Empty>
          )
        }
      >
        {(items) => (
          <Rows<AuditEntry>
            label="Audit"
            head="Actor"
            items={items}
            keyOf={({ id }) => String(id)}
            mark={({ principal }) =>
              principal && principal.kind !== 'agent' ? <Avatar name={principal.name} /> : <Mark icon={Server} />
            }
            title={({ principal }) => (
              <span className="strong clip">{principal ? visible(principal.name) : 'Service'}</span>
            )}
            beside={({ principal }) => principal?.kind === 'agent' && <Tag>Agent</Tag>}
            columns={[
              {
                ...{ name: 'Action', look: 'c-mid' },
                cell: ({ action }) => <span className="mono">{action}</span>,
              },
              { name: 'Subject', cell: (entry) => <Subject scope={scope} entry={entry} /> },
              {
                ...{ name: 'Request', look: 'c-state c-roomy' },
                cell: ({ request_id, ip }) => (
                  <span className="mono quiet" title={visible([request_id, ip].filter(Boolean).join(', '))}>
                    {visible(`…${request_id.slice(-6)}`)} {ip && visible(ip)}
                  </span>
                ),
              },
              { name: 'Time', look: 'c-end', cell: ({ at }) => <Time at={at} /> },
            ]}
            second={(entry) => (
              <>
                <span className="mono">{entry.action}</span> <Subject scope={scope} entry={entry} />
              </>
            )}
            aside={({ at }) => <Time at={at} />}
          />
        )}
      </List>
    </Page>
  );
}

interface FiltersProps {
  filters: AuditFilters;
  owner: boolean;
  onChange(next: AuditFilters): void;
}

/** Texts count when they were typed whole, choices at once. */
function Filters({ filters, owner, onChange }: FiltersProps) {
  const change = (part: Record<string, string>) => onChange(readAuditFilters({ ...filters, ...part }));
  return (
    <div className="filters list-bar">
      <FilterText label="Action" value={filters.action} onChange={(action) => change({ action })} />
      <FilterText label="Actor" value={filters.principal} onChange={(principal) => change({ principal })} />
      <SinceFilter since={filters.since} onChange={(since) => change({ since })} />
      {(owner || filters.of) && (
        <select aria-label="Scope" value={filters.of ?? ''} onChange={({ target }) => change({ of: target.value })}>
          <option value="">This project</option>
          <option value="org">The org</option>
        </select>
      )}
      {Object.keys(filters).length > 0 && (
        <button type="button" className="ghost small" onClick={() => onChange({})}>
          Clear
        </button>
      )}
    </div>
  );
}

function Subject({ scope, entry: { subject, detail } }: { scope: Scope; entry: AuditEntry }) {
  return (
    <span
      className="clip"
      title={[subject, detail]
        .filter((text) => text !== undefined)
        .map(visible)
        .join(', ')}
    >
      {subject.startsWith('run_') ? (
        <Link to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: subject }}>
          run <span className="mono">{visible(subject.slice(-6))}</span>
        </Link>
      ) : (
        visible(subject)
      )}
      {detail && <span className="quiet"> {visible(detail)}</span>}
    </span>
  );
}
