import type { ComponentType } from 'react';

/** An icon of lucide, or one of ours. */
export type Icon = ComponentType<{ size?: number; className?: string; 'aria-hidden'?: boolean }>;
