import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check, Database, type LucideIcon, Mail, ShieldCheck, ShoppingCart, Webhook } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AccountView, GraphEntry, SubmittedRun, Summary } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { useMay } from '../app/session.ts';
import { Copy, Problem, Tag } from '../kit/basics.tsx';
import { useSending } from '../kit/sending.ts';
import { SAMPLE, TEMPLATES, type Template } from './templates.ts';
import './first-visit.css';

interface Step {
  what: string;
  says: ReactNode;
  done: boolean;
  act?: ReactNode;
}

const here = '/orgs/$org/projects/$project';

/** What a project without a run begins with: steps that tick themselves, and workflows to begin from. */
export default function FirstVisit({ scope, summary }: { scope: Scope; summary: Summary }) {
  const may = useMay(scope);
  const accounts = useList<AccountView>(scope, 'accounts', may('member'));
  const graphs = useList<GraphEntry>(scope, 'graphs', true);
  const { busy, error, send } = useSending();
  const navigate = useNavigate();
  const run = async ({ filename, source, kind }: Pick<Template, 'filename' | 'source' | 'kind'>) => {
    const body = { kind, filename, source, input: null };
    const { run_id } = await json<SubmittedRun>(scoped(scope, '/runs'), { method: 'POST', body });
    await navigate({ to: `${here}/runs/$run`, params: { ...scope, run: run_id } });
  };
  const { agents } = summary;
  const steps: Step[] = [
    {
      what: 'Start an agent',
      says:
        agents.connected > 0 ? (
          `${agents.connected === 1 ? 'An agent is' : `${agents.connected} agents are`} online with ${agents.slots} slots.`
        ) : (
          <>
            Agents run your workflows: <code>svc agent</code>
          </>
        ),
      done: agents.connected > 0,
    },
    {
      what: 'Run a sample',
      says: 'It runs a step and waits for your approval. Kill the agent while it waits: the step does not run twice.',
      done: false,
      act: may('member') && (
        <button type="button" className="main" disabled={busy} onClick={() => void send(() => run(SAMPLE))}>
          Run sample
        </button>
      ),
    },
    {
      what: 'Connect an account',
      says: 'GitHub, Slack or Airtable, so that workflows can act for you. Tokens are renewed and never shown.',
      done: (accounts?.length ?? 0) > 0,
      act: may('member') && (
        <Link className="button" to={`${here}/connections`} params={scope}>
          Connect…
        </Link>
      ),
    },
    {
      what: 'Publish a graph',
      says: 'Give it a webhook address or a schedule, and it starts automatically.',
      done: (graphs ?? []).some(({ published_version }) => published_version !== undefined),
      act: may('member') && (
        <Link className="button" to={`${here}/graphs/new`} params={scope}>
          New graph
        </Link>
      ),
    },
  ];
  const done = steps.filter((one) => one.done).length;
  const now = steps.findIndex((one) => !one.done);
  return (
    <>
      <div className="hello">
        <div>
          <h2>Get your first workflow running</h2>
          <p className="second">
            About four minutes. Each step is checked off when you complete it, here or on the command line.
          </p>
        </div>
        <div className="push">
          <p className="small-text second">
            {done} of {steps.length} done
          </p>
          <svg className="progress" height="6" aria-hidden="true">
            <rect className="ground" width="100%" height="6" rx="3" />
            <rect className="fill succeeded" width={`${(done / steps.length) * 100}%`} height="6" rx="3" />
          </svg>
        </div>
      </div>
      {error !== undefined && <Problem error={error} />}
      <ol className="card first-steps">
        {steps.map((step, index) => (
          <li key={step.what} className={step.done ? 'done' : index === now ? 'now' : undefined}>
            <span className="tick">
              {step.done && <Check size={12} strokeWidth={3} aria-hidden />}
              <span className="hidden">{step.done ? 'Done: ' : 'To do: '}</span>
            </span>
            <div className="what">{step.what}</div>
            <div className="meta">{step.says}</div>
            {!step.done && step.act && <div className="acts">{step.act}</div>}
          </li>
        ))}
      </ol>
      {may('member') && (
        <>
          <h2 className="section">Start from a template</h2>
          <ul className="templates">
            {TEMPLATES.map((template) => (
              <TemplateCard key={template.name} scope={scope} template={template} />
            ))}
          </ul>
        </>
      )}
      <h2 className="section">Or from a terminal</h2>
      <div className="well term">
        <span className="quiet">$</span> <code>svc submit release.sh --input channel=beta --follow</code>
        <span className="push">
          <Copy text="svc submit release.sh --input channel=beta --follow" label="Copy the command" />
        </span>
      </div>
    </>
  );
}

const ICONS: Record<Template['icon'], LucideIcon> = {
  approval: ShieldCheck,
  order: ShoppingCart,
  data: Database,
  mail: Mail,
  webhook: Webhook,
};

function TemplateCard({
  scope,
  template: { name, says, language, icon, filename, source, kind },
}: {
  scope: Scope;
  template: Template;
}) {
  const Icon = ICONS[icon];
  return (
    <li className="tile">
      <div className="row">
        <span className="badge">
          <Icon size={16} aria-hidden />
        </span>
        <h3>{name}</h3>
      </div>
      <p className="second">{says}</p>
      <div className="row foot">
        <Tag>{language}</Tag>
        <Link
          className="button small push"
          to={`${here}/new-run`}
          params={scope}
          search={{ what: kind }}
          state={{ draft: { filename, source } }}
        >
          Use template
        </Link>
      </div>
    </li>
  );
}

function useList<Item>(scope: Scope, plural: string, enabled: boolean): Item[] | undefined {
  const path = scoped(scope, `/${plural}`);
  const { data } = useQuery({
    queryKey: ['found', path],
    enabled,
    queryFn: ({ signal }) => readAllPages<Item>(path, plural, { signal }),
  });
  return data;
}
