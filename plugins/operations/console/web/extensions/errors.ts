/** `https://…/console/plugins/greeter/`: where the files of a module's plugin lie. */
const folderOf = (module: string): string => new URL('.', new URL(module, location.href)).href;

/**
 * Tells of errors that nobody handled and that come from files of the module's folder, such as in its timers and listeners,
 * until the returned function is called.
 */
export function errorsOf(module: string, on: (error: unknown) => void): () => void {
  const folder = folderOf(module);
  const onError = (event: ErrorEvent) => {
    if (!event.filename.startsWith(folder)) return;
    event.preventDefault();
    on(event.error ?? new Error(event.message));
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    const { reason } = event as { reason: unknown };
    if (!(reason instanceof Error) || !reason.stack?.includes(folder)) return;
    event.preventDefault();
    on(reason);
  };
  addEventListener('error', onError);
  addEventListener('unhandledrejection', onRejection);
  return () => {
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onRejection);
  };
}
