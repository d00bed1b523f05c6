import { useEffect, useReducer, useRef } from 'react';
import { useVisible } from '../kit/visible.ts';
import { type LogEvent, LogLines } from './log-lines.ts';
import { Slices } from './slices.ts';

/** A page is drawn at most so often, however fast lines come. */
const FRAME_MS = 100;

export interface FollowedLog {
  log: LogLines;
  /** The run is over, and its log complete. */
  complete: boolean;
  /** Changes with the lines. */
  version: number;
}

/**
 * The log of a run as it is written: each chunk once, also when the connection breaks and comes again. Without a path it
 * reads nothing.
 */
export function useLog(path: string | undefined): FollowedLog {
  const kept = useRef({ log: new LogLines(), complete: false, path: '' });
  const [version, draw] = useReducer((n: number) => n + 1, 0);
  const visible = useVisible();
  useEffect(() => {
    const { current } = kept;
    if (path === undefined || !visible || (current.complete && current.path === path)) return undefined;
    current.path = path;
    current.log.clear();
    current.complete = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        draw();
      }, FRAME_MS);
    };
    const source = new EventSource(`${path}?follow=true`);
    const slices = new Slices();
    source.addEventListener('log', ({ data }: MessageEvent<string>) =>
      slices.add(() => {
        current.log.add(JSON.parse(data) as LogEvent);
        soon();
      }),
    );
    source.addEventListener('end', () => {
      source.close();
      slices.add(() => {
        current.complete = true;
        soon();
      });
    });
    return () => {
      source.close();
      slices.close();
      clearTimeout(timer);
    };
  }, [path, visible]);
  return { ...kept.current, version };
}
