import {
  CalendarClock,
  GitCommitHorizontal,
  type LucideIcon,
  Radio,
  RotateCw,
  Split,
  User,
  Webhook,
  Zap,
} from 'lucide-react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';

/** What started a run, in one word or two, and its icon. */
export function triggerOf({ trigger, rerun_of, parent }: RunRecord): { icon: LucideIcon; text: string } {
  const { type, handler, schedule, webhook, branch, sha } = trigger as Record<string, unknown>;
  if (rerun_of !== undefined) return { icon: RotateCw, text: `rerun of …${rerun_of.slice(-6)}` };
  if (typeof schedule === 'string') return { icon: CalendarClock, text: schedule };
  if (typeof handler === 'string') return { icon: Zap, text: `${handler} · ${String(type)}` };
  if (type === 'push') {
    const commit = [branch, typeof sha === 'string' ? sha.slice(0, 7) : undefined].filter(Boolean).join(' · ');
    return { icon: GitCommitHorizontal, text: commit || 'push' };
  }
  if (parent !== undefined || type === 'spawn')
    return { icon: Split, text: parent ? `from …${parent.slice(-6)}` : 'spawn' };
  if (type === 'manual') return { icon: User, text: 'manual' };
  if (typeof webhook === 'string') return { icon: Webhook, text: `${webhook} · ${String(type)}` };
  return { icon: Radio, text: String(type) };
}
