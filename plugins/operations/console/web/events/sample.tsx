import { useState } from 'react';
import type { EventType } from '../../../../../cli/generated/api.ts';
import { Block } from '../kit/block.tsx';
import { Drawer } from '../kit/drawer.tsx';
import { pretty, visible } from '../kit/text.ts';

/** A button that shows what the last event of the type carried. */
export function Sample({ type: { type, sample } }: { type: EventType }) {
  const [open, setOpen] = useState(false);
  if (sample === undefined) return null;
  return (
    <>
      <button type="button" className="ghost small" onClick={() => setOpen(true)}>
        Last payload
      </button>
      {open && (
        <Drawer title={`Last payload of ${visible(type)}`} close={() => setOpen(false)}>
          <Block text={pretty(sample)} />
        </Drawer>
      )}
    </>
  );
}
