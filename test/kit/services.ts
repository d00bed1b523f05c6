/** Services that need no database, for parts that are tested without a server. */
export { systemClock } from '../../kernel/boot/services/clock.ts';
export { createIds } from '../../kernel/boot/services/ids.ts';
export { createMaskers } from '../../plugins/security/masking/service/maskers.ts';
