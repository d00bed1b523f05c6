/** What becomes of untrusted work on an agent. */
export interface AgentIsolation {
  /** `refuse`: it takes none. `isolate`: it keeps it apart. `only`: so too, and takes nothing else. */
  untrusted: 'refuse' | 'isolate' | 'only';
  /** Why this machine cannot keep programs apart; absent when it can. Then it gets no untrusted program. */
  missing?: string;
}
