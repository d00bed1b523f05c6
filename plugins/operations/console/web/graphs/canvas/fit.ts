/** A graph is never drawn so small that its words cannot be read: one pans instead. */
export const FIT = { minZoom: 0.7, maxZoom: 1, padding: 0.12 } as const;

/** Beside the tools and the panel that float above the canvas of the editor, where it is wide enough for them. */
export const fitInStudio = () =>
  matchMedia('(max-width: 1000px)').matches
    ? FIT
    : ({ ...FIT, padding: { top: '84px', left: '84px', right: '412px', bottom: '84px' } } as const);
