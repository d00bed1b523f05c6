import { lazy, Suspense } from 'react';
import { Panel } from '../kit/page.tsx';

const Markdown = lazy(() => import('../kit/markdown.tsx'));

/** What the run noted about itself. */
export function Notes({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <Panel title="Notes">
      <Suspense fallback={<p className="quiet">…</p>}>
        {texts.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: notes are only added
          <Markdown key={index} text={text} />
        ))}
      </Suspense>
    </Panel>
  );
}
