import type { ShownEvent } from '../../../../../cli/generated/api.ts';
import { Copy } from '../kit/basics.tsx';
import { Block } from '../kit/block.tsx';
import { Panel } from '../kit/page.tsx';
import { pretty } from '../kit/text.ts';

/** What the event carries. */
export const Payload = ({ event: { payload, fields } }: { event: ShownEvent }) => (
  <>
    <Panel title="Payload" aside={<Copy text={pretty(payload)} label="Copy the payload" />}>
      <Block text={pretty(payload)} />
    </Panel>
    {fields && Object.keys(fields).length > 0 && (
      <Panel title="Other data">
        <Block text={pretty(fields)} />
      </Panel>
    )}
  </>
);
