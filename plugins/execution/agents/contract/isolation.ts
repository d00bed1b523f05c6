/** What an agent does with untrusted work. */
export interface AgentIsolation {
  /** `refuse` takes none, `isolate` isolates it, and `only` takes nothing else. */
  untrusted: 'refuse' | 'isolate' | 'only';
  /** Why this machine cannot isolate programs, if it cannot. It then gets no untrusted programs. */
  missing?: string;
}
