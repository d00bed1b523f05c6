import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ScrollText, Server } from 'lucide-react';
import type { AuditEntry } from '../../../../../cli/generated/api.ts';
import { query, type Scope, scoped } from '../api/paths.ts';
import { useOwns } from '../app/session.ts';
import { Avatar, Mark } from '../kit/avatar.tsx';
import { Empty, Tag, Time } from '../kit/basics.tsx';
import { AGES, ChipBar, type TypedFilter } from '../kit/chip-bar.tsx';
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

const KINDS: readonly TypedFilter<'action' | 'principal' | 'since'>[] = [
  { name: 'action', label: 'Action', operator: 'is', hint: 'secret, or secret.read' },
  { name: 'principal', label: 'Actor', operator: 'is', hint: 'user or token name' },
  { name: 'since', label: 'Time', operator: 'in the last', hint: '2h, or a time', suggest: AGES },
];

interface FiltersProps {
  filters: AuditFilters;
  owner: boolean;
  onChange(next: AuditFilters): void;
}

function Filters({ filters: { of, ...typed }, owner, onChange }: FiltersProps) {
  const kept: AuditFilters = { ...(of && { of }) };
  return (
    <ChipBar
      kinds={KINDS}
      values={typed}
      onChange={(next) => onChange({ ...kept, ...next })}
      onClear={() => onChange({})}
      canClear={of !== undefined || Object.keys(typed).length > 0}
    >
      {(owner || of) && (
        <select
          aria-label="Scope"
          value={of ?? ''}
          onChange={({ target }) => onChange(readAuditFilters({ ...typed, of: target.value }))}
        >
          <option value="">This project</option>
          <option value="org">The org</option>
        </select>
      )}
    </ChipBar>
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
