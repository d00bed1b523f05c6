import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { CalendarClock, CirclePlay, FileCode, type LucideIcon, Webhook, Workflow, Zap } from 'lucide-react';
import type { CredentialUses } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Tip } from '../kit/tip.tsx';
import { visible } from '../kit/text.ts';

type Use = CredentialUses['uses'][number];

/** Uses change seldom, and each row asks for its own. */
const AGAIN_MS = 15_000;
const SHOWN = 2;

const ICONS: Readonly<Record<string, LucideIcon>> = {
  graph: Workflow,
  handler: Zap,
  schedule: CalendarClock,
  webhook: Webhook,
  run: CirclePlay,
};

/** What names a credential or an account, as chips that lead there. */
export function UsedBy({ scope, of, name }: { scope: Scope; of: 'accounts' | 'credentials'; name: string }) {
  const path = scoped(scope, `/${of}/${encodeURIComponent(name)}/uses`);
  const { data, error } = useQuery({
    queryKey: ['uses', path],
    queryFn: ({ signal }) => json<CredentialUses>(path, { signal }),
    refetchInterval: AGAIN_MS,
  });
  if (!data) return error && <span className="bad">Could not be loaded</span>;
  if (data.uses.length === 0) return <span className="quiet">Not used yet</span>;
  const more = data.uses.slice(SHOWN);
  return (
    <div className="chips-line">
      {data.uses.slice(0, SHOWN).map((use) => (
        <UseChip key={`${use.kind} ${use.name} ${use.detail}`} scope={scope} use={use} />
      ))}
      {more.length > 0 && (
        <Tip text={more.map(({ kind, name: other }) => `${kind} ${visible(other)}`).join(', ')}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its tip is shown when it has the focus */}
          <span tabIndex={0} className="quiet small-text">
            +{more.length}
            {data.more && ' and more'}
          </span>
        </Tip>
      )}
    </div>
  );
}

function linkOf(scope: Scope, { kind, name }: Use): Pick<LinkProps, 'to' | 'params'> | undefined {
  const here = '/orgs/$org/projects/$project';
  if (kind === 'run') return { to: `${here}/runs/$run`, params: { ...scope, run: name } };
  if (kind === 'graph') return { to: `${here}/graphs/$graph`, params: { ...scope, graph: name } };
  if (kind === 'handler') return { to: `${here}/handlers/$handler`, params: { ...scope, handler: name } };
  if (kind === 'schedule') return { to: `${here}/schedules/$schedule`, params: { ...scope, schedule: name } };
  if (kind === 'webhook') return { to: `${here}/webhooks/$webhook`, params: { ...scope, webhook: name } };
  return undefined;
}

function UseChip({ scope, use }: { scope: Scope; use: Use }) {
  const Icon = ICONS[use.kind] ?? FileCode;
  const text = use.kind === 'run' ? use.name.slice(-6) : visible(use.name);
  const inside = (
    <>
      <Icon size={14} aria-hidden />
      <span className="clip">{text}</span>
    </>
  );
  const link = linkOf(scope, use);
  const title = `${use.kind} ${visible(use.name)}: ${visible(use.detail)}`;
  return link ? (
    <Link {...link} className="chip-link" title={title}>
      {inside}
    </Link>
  ) : (
    <span className="chip-link" title={title}>
      {inside}
    </span>
  );
}
