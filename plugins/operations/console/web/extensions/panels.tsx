import type { Scope } from '../api/paths.ts';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import type { ConsolePlace } from '../../contract/places.ts';
import { Mounted, type Subject } from './mounted.tsx';
import { useExtensions } from './use-extensions.ts';

/** The panels that plugins have for a page. */
export function Panels({ scope, place, of = {} }: { scope: Scope; place: ConsolePlace; of?: Subject }) {
  const panels = (useExtensions(scope)?.panels ?? []).filter((one) => one.place === place);
  return panels.map(({ name, title, module }) => (
    <Panel key={`${name} ${of.run ?? of.event ?? ''}`} title={visible(title)}>
      <Mounted scope={scope} module={module} of={of} />
    </Panel>
  ));
}
