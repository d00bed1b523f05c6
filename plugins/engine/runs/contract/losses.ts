/**
 * How often an activity may be lost at the same position of its journal before it fails, whatever it was lost with: its agent,
 * what kept its programs, or a program that somebody kills from outside.
 */
export const MAX_LOSSES = 25;
