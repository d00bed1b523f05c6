import { WINDOWS, type WindowName } from './windows.ts';

/** How far back the page looks. */
export const WindowChoice = ({ window, choose }: { window: WindowName; choose(window: WindowName): void }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
  <div className="seg" role="group" aria-label="Window">
    {WINDOWS.map(([value, name]) => (
      <button key={value} type="button" aria-pressed={value === window} onClick={() => choose(value)}>
        {name}
      </button>
    ))}
  </div>
);
