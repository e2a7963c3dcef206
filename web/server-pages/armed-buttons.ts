/** Protects the buttons of a card from clickjacking. A button accepts a click only after it stood still for 800 ms in a focused window. */
const INERT_MS = 800;

export interface ArmedButtons {
  /** Starts the 800 ms again. */
  reset(): void;
  /** Updates the buttons and returns whether they accept a press. */
  update(isBusy: boolean): boolean;
}

export function createArmedButtons(slot: HTMLElement): ArmedButtons {
  let position = '';
  let since = 0;
  const visible = () => [...slot.querySelectorAll<HTMLElement>('[data-arming]')].filter((button) => button.offsetParent !== null);
  const measure = () => {
    const places = visible().map((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return [left, top, width, height].map(Math.round).join();
    });
    return [document.visibilityState, document.hasFocus(), ...places].join(' ');
  };
  return {
    reset() {
      position = '';
    },
    update(isBusy) {
      const now = measure();
      if (now !== position) {
        position = now;
        since = performance.now();
      }
      const isArmed = !isBusy && performance.now() - since >= INERT_MS;
      for (const button of visible()) {
        if (isArmed) button.removeAttribute('aria-disabled');
        else button.setAttribute('aria-disabled', 'true');
      }
      return isArmed;
    },
  };
}
