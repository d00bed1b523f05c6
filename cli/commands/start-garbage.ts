/**
 * What a start leaves behind is a fifth of what an idle server holds: garbage, code that only a start needs, and spaces
 * that have grown for both. Without work no collection would come that gives them back. `cli/svc` exposes the collector.
 */
export function letGoOfTheStart(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
}
