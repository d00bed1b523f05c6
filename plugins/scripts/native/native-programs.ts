export type ProgramName = 'verb-client' | 'in-shell' | 'spawner';

/** What `build.mjs` has made, or found made. */
export interface NativePrograms {
  /** Absolute paths; what is missing could not be compiled. */
  programs: Partial<Record<ProgramName, string>>;
  /** Why something is missing or old. */
  why: string | undefined;
}
