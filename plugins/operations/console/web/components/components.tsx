import { CalendarClock, Ellipsis, Plus, Search } from 'lucide-react';
import { useEffect } from 'react';
import { Confirm } from '../kit/confirm.tsx';
import { Copy, Empty, Problem, Tag, Time } from '../kit/basics.tsx';
import { JsonText } from '../kit/json-text.tsx';
import { Table } from '../kit/list.tsx';
import { CheckField, LongField } from '../kit/more-fields.tsx';
import { ChoiceField, TextField } from '../kit/dialog-form.tsx';
import { CommandLine, Page, Panel, Same } from '../kit/page.tsx';
import { Source } from '../kit/source.tsx';
import { hueOf } from '../kit/state.ts';
import { Status, StatusIcon } from '../kit/status.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { Tip } from '../kit/tip.tsx';
import { toast } from '../kit/toasts.tsx';
import './components.css';

const STATES = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'retried', 'reused', 'skipped'];

/** Every part of the kit on one page, for whoever draws with it. */
export function Components() {
  useEffect(() => toast('Run approved'), []);
  return (
    <Page title="Components" about="All components in web/kit" same={{ command: 'svc …', call: 'GET /api/v1/…' }}>
      <section className="swatches" aria-label="States">
        {STATES.map((state) => (
          <div key={state} className="card swatch">
            <StatusIcon of={state} size="l" silent />
            <Status of={state} />
            <span className={`toned ${hueOf(state)}`}>Text on a background</span>
            <svg height="10" aria-hidden="true">
              <rect className={`fill ${hueOf(state)}`} width="100%" height="10" rx="3" />
            </svg>
          </div>
        ))}
      </section>
      <div className="parts">
        <div className="stack">
          <Panel title="Buttons">
            <div className="row">
              <button type="button" className="main">
                Approve
              </button>
              <button type="button">Rerun…</button>
              <button type="button" className="danger">
                Reject
              </button>
              <button type="button" className="ghost">
                Clear
              </button>
            </div>
            <div className="row">
              <Confirm
                label="Remove graph"
                title="Remove the graph?"
                verb="Remove graph"
                danger
                run={async () => undefined}
              >
                It is removed for everyone.
              </Confirm>
              <button type="button" disabled>
                Publish
              </button>
              <Tip text="More">
                <button type="button" className="icon" aria-label="More">
                  <Ellipsis size={16} aria-hidden />
                </button>
              </Tip>
              <button type="button" className="small">
                <Plus size={14} aria-hidden /> With icon
              </button>
              <kbd>A</kbd>
            </div>
            <div className="row">
              <div className="seg">
                <button type="button" aria-pressed="true">
                  24 hours
                </button>
                <button type="button" aria-pressed="false">
                  7 days
                </button>
              </div>
              <Tag>team:web</Tag>
              <span className="count waiting">3</span>
              <span className="live">Live</span>
            </div>
          </Panel>
          <Panel title="Fields">
            <div className="fields">
              <TextField
                name="amount"
                label="Amount"
                value="1,240.00"
                hint="Up to €5,000.00 without a second person."
              />
              <label>
                Condition
                <input aria-invalid="true" defaultValue="event.payload.total >" />
                <span className="field-error">Unfinished: a value is missing after &gt; (column 21).</span>
              </label>
              <ChoiceField name="reason" label="Reason" choices={[['stock', 'Out of stock']]} />
              <LongField name="note" label="Note" />
              <CheckField name="notify" label="Notify the customer" value />
            </div>
          </Panel>
        </div>
        <div className="stack">
          <Panel title="Filters and tabs" flush>
            <Tabs label="Views">
              <button type="button" aria-pressed="true">
                All <span className="n">12</span>
              </button>
              <button type="button">Failed today</button>
            </Tabs>
            <div className="card-body">
              <div className="row">
                <div className="find">
                  <Search size={14} aria-hidden />
                  <input type="search" aria-label="Find" placeholder="Workflow, ID, tag or error" />
                </div>
                <div className="fchip">
                  <span>Status</span>
                  <span className="op">is</span>
                  <button type="button">Failed</button>
                </div>
              </div>
            </div>
          </Panel>
          <Panel title="Rows" flush foot={<CommandLine command="svc runs ls --status failed" />}>
            <ul className="mini">
              <li>
                <StatusIcon of="running" /> <span className="strong">release</span>
                <span className="second clip">test · 3 of 4 cells</span>
                <span className="push quiet">2 min</span>
              </li>
              <li>
                <StatusIcon of="waiting" /> <span className="strong">onboarding</span>
                <span className="second clip">sleeping until tomorrow</span>
                <span className="push quiet">3 d</span>
              </li>
            </ul>
          </Panel>
          <Table columns={['Name', '-Set', 'Actions']}>
            <tr>
              <td>nightly</td>
              <td className="wide">
                <Time at="2026-01-01T10:00:00.000Z" />
              </td>
              <td>
                <button type="button">Change</button>
              </td>
            </tr>
          </Table>
          <Panel title="Text from other users">
            <JsonText text={'{"charge":"ch_706eb580","amount":1240.5,"captured":true}'} />
            <Source
              filename="ship.sh"
              text={'name=$(svc input name)\nsvc wait-signal approved\nsvc step ship -- echo "$name"\n'}
              mark={2}
            />
            <p className="row">
              <code>run_01M8BKHCK08X</code> <Copy text="run_01M8BKHCK08X" label="Copy the ID" />
            </p>
            <Same by={{ command: 'svc runs ls', call: 'GET /api/v1/…/runs' }} />
          </Panel>
        </div>
        <div className="stack">
          <Panel title="Nothing yet">
            <Empty
              icon={CalendarClock}
              title="No schedules yet"
              action={
                <button type="button" className="main">
                  New schedule
                </button>
              }
            >
              A schedule starts a workflow at set times.
            </Empty>
          </Panel>
          <Panel title="Reading">
            <div className="skeleton" aria-hidden>
              <span className="skel" />
              <span className="skel" />
              <span className="skel" />
            </div>
          </Panel>
          <Problem error={new Error('The server cannot be reached.')} again={() => undefined} />
          <p className="banner succeeded">Slack “Acme” is connected.</p>
          <p className="banner failed">Not saved: 2 problems must be fixed first.</p>
        </div>
      </div>
    </Page>
  );
}
