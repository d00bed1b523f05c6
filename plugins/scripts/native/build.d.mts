export declare const PROGRAMS: Record<'verb-client' | 'spawner', string[]>;

/** Paths of the native programs, compiled when missing or older than their sources; what is missing could not be made. */
export declare function nativePrograms(): Promise<{
  programs: Partial<Record<'verb-client' | 'spawner', string>>;
  /** Why something is missing or old. */
  why: string | undefined;
}>;
