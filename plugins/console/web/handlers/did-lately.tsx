import type { HandlerView } from '../../../../cli/generated/api.ts';

/** What a handler did in the last 24 hours, with what went wrong. */
export function DidLately({ lately }: Pick<HandlerView, 'lately'>) {
  if (lately === undefined) return null;
  const { started, failed, predicate_errors, queued } = lately;
  if (started + failed + predicate_errors + queued === 0) return <span className="quiet">nothing</span>;
  return (
    <>
      {started} started
      {failed > 0 && <div className="bad">{failed} failed</div>}
      {predicate_errors > 0 && <div className="bad">{predicate_errors} × the predicate failed</div>}
      {queued > 0 && <div>{queued} wait</div>}
    </>
  );
}
