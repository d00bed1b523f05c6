import type { GraphNode } from '../document.ts';
import { FieldFrame } from './field-frame.tsx';
import { useFormPlace } from './form-context.ts';
import type { Members } from './model.ts';
import { ValueField } from './value-field.tsx';

const TEXT = { type: 'string' } as const;
const FURTHER = /^\/(retry|timeout|continue_on_error|join|idempotency_key|description)\b/;

/** What every node can have, whatever its type. */
export function FurtherSettings({ node, set }: { node: GraphNode; set(members: Members): void }) {
  const { findings } = useFormPlace();
  const { retry } = node;
  const wrong = findings.some(({ within }) => FURTHER.test(within));
  return (
    <details open={wrong || undefined}>
      <summary>Retries, time limits and more</summary>
      <FieldFrame label="Attempts" pointer="/retry" deep description="All attempts, including the first.">
        <input
          type="number"
          aria-label="Attempts"
          min={1}
          max={100}
          value={retry?.attempts ?? ''}
          onChange={({ target }) =>
            set({ retry: target.value === '' ? undefined : { ...retry, attempts: Number(target.value) } })
          }
        />
      </FieldFrame>
      {retry && (
        <FieldFrame label="Pause between attempts" pointer="/retry/backoff" description="5s, 2m; none by default.">
          <input
            aria-label="Pause between attempts"
            value={retry.backoff ?? ''}
            onChange={({ target }) => {
              const { backoff: _, ...rest } = retry;
              set({ retry: target.value ? { ...rest, backoff: target.value } : rest });
            }}
          />
        </FieldFrame>
      )}
      <FieldFrame
        label="Time limit"
        pointer="/timeout"
        description="Applies to each attempt, including its time in the queue. Example: 10m"
      >
        <input
          aria-label="Time limit"
          value={node.timeout ?? ''}
          onChange={({ target }) => set({ timeout: target.value || undefined })}
        />
      </FieldFrame>
      <FieldFrame
        label="Continue after an error"
        pointer="/continue_on_error"
        description="Nodes that need it still run and receive its error as data."
      >
        <input
          type="checkbox"
          aria-label="Continue after an error"
          checked={node.continue_on_error === true}
          onChange={({ target }) => set({ continue_on_error: target.checked || undefined })}
        />
      </FieldFrame>
      <FieldFrame label="Starts when" pointer="/join">
        <select
          aria-label="Starts when"
          value={node.join ?? ''}
          onChange={({ target }) => set({ join: (target.value || undefined) as GraphNode['join'] })}
        >
          <option value="">the default</option>
          <option value="all">all its edges are met</option>
          <option value="any">one of its edges is met</option>
        </select>
      </FieldFrame>
      <ValueField
        name="idempotency_key"
        schema={{ ...TEXT, description: 'Used instead of the run ID and node ID. {{ }} is evaluated.' }}
        root={TEXT}
        value={node.idempotency_key}
        onChange={(key) => set({ idempotency_key: key })}
        pointer="/idempotency_key"
      />
      <FieldFrame label="Description" pointer="/description" description="What the node does, in Markdown.">
        <textarea
          aria-label="Description"
          maxLength={8192}
          value={node.description ?? ''}
          onChange={({ target }) => set({ description: target.value || undefined })}
        />
      </FieldFrame>
    </details>
  );
}
