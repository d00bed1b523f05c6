import { Copy } from './basics.tsx';

export interface Secret {
  /** What it is of: `the hook builds`. */
  of: string;
  secret: string;
  /** Where it goes. */
  use: string;
}

/** A secret that the service shows this once. The page forgets it when it is closed. */
export function Once({ shown, close }: { shown: Secret | undefined; close(): void }) {
  if (!shown) return null;
  return (
    <section className="panel once" role="status">
      <h2>The secret of {shown.of}</h2>
      <p>
        <code>{shown.secret}</code> <Copy text={shown.secret} label="Copy the secret" />
      </p>
      <p>
        <strong>It is shown only once.</strong> {shown.use}
      </p>
      <button type="button" onClick={close}>
        I have saved it
      </button>
    </section>
  );
}
