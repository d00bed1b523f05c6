export type ProgramName = 'verb-client' | 'in-shell' | 'spawner' | 'isolate' | 'guard' | 'attempt';

/** What `build.mjs` compiled or found compiled. */
export interface NativePrograms {
  /** Absolute paths; a missing one could not be compiled. */
  programs: Partial<Record<ProgramName, string>>;
  /** Why something is missing or outdated. */
  why: string | undefined;
}
