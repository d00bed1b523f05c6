/** The kind of a wait for a run that the wait itself creates: `svc call`, and nodes and jobs that are workflows. */
export const CALL_WAIT = 'call';
