import type { NativePrograms, ProgramName } from './native-programs.ts';

/** Sources of each program. */
export declare const PROGRAMS: Record<ProgramName, string[]>;

/** The native programs, compiled when missing or older than their sources. */
export declare function nativePrograms(): Promise<NativePrograms>;
